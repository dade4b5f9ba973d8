-- Scores, what they select, and what was exported.

CREATE TABLE selection (
    campaign INTEGER PRIMARY KEY REFERENCES campaign(id),
    spec     TEXT NOT NULL,
    date_ms  INTEGER NOT NULL
);

CREATE TABLE score (
    campaign INTEGER NOT NULL,
    capture  INTEGER NOT NULL REFERENCES capture(id),
    score    REAL NOT NULL,
    -- What score or filter say; decisions stand in mark.
    selected INTEGER NOT NULL,
    -- The decision that was counted.
    review   TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (campaign, capture)
) WITHOUT ROWID;
CREATE INDEX score_capture ON score(capture);

-- The selection that the kept one took the place of, so that one step takes that back.
CREATE TABLE selection_before (
    campaign INTEGER PRIMARY KEY,
    -- None where there was none.
    spec     TEXT,
    date_ms  INTEGER NOT NULL
);
CREATE TABLE score_before (
    campaign INTEGER NOT NULL,
    capture  INTEGER NOT NULL REFERENCES capture(id),
    score    REAL NOT NULL,
    selected INTEGER NOT NULL,
    review   TEXT NOT NULL,
    PRIMARY KEY (campaign, capture)
) WITHOUT ROWID;
CREATE INDEX score_before_capture ON score_before(capture);

-- What was read of texts and links for the scores of a campaign, apart from
-- weights and thresholds: these change without reading anything again.
CREATE TABLE measure (
    campaign       INTEGER NOT NULL,
    capture        INTEGER NOT NULL REFERENCES capture(id),
    -- What the request says of the text, 0 to 1, and whether it holds.
    request        REAL,
    holds          INTEGER NOT NULL DEFAULT 0,
    external_hosts INTEGER,
    anchor_hosts   INTEGER,
    -- Entities of the request that the text names.
    entities       INTEGER,
    unread         INTEGER NOT NULL DEFAULT 0,
    -- What was found where, for people.
    terms          TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (campaign, capture)
) WITHOUT ROWID;
CREATE INDEX measure_capture ON measure(capture);
-- What they were measured with: version of the campaign, inlinks, window.
CREATE TABLE measured (
    campaign   INTEGER PRIMARY KEY,
    conditions TEXT NOT NULL
);

-- Captures that come along because a selected one needs them; none of them is
-- selected itself.
CREATE TABLE requisite (
    campaign INTEGER NOT NULL,
    capture  INTEGER NOT NULL REFERENCES capture(id),
    PRIMARY KEY (campaign, capture)
) WITHOUT ROWID;
CREATE INDEX requisite_capture ON requisite(capture);

-- Selections under a name: which captures were in stays as it was saved.
CREATE TABLE named_selection (
    id       INTEGER PRIMARY KEY,
    campaign INTEGER NOT NULL REFERENCES campaign(id),
    name     TEXT NOT NULL COLLATE NOCASE,
    spec     TEXT NOT NULL,
    who      TEXT NOT NULL,
    date_ms  INTEGER NOT NULL,
    UNIQUE (campaign, name)
);
CREATE TABLE named_capture (
    selection INTEGER NOT NULL REFERENCES named_selection(id),
    capture   INTEGER NOT NULL REFERENCES capture(id),
    PRIMARY KEY (selection, capture)
) WITHOUT ROWID;
CREATE INDEX named_capture_capture ON named_capture(capture);

CREATE TABLE export (
    id       INTEGER PRIMARY KEY,
    date_ms  INTEGER NOT NULL,
    folder   TEXT NOT NULL,
    captures INTEGER NOT NULL,
    records  INTEGER NOT NULL,
    bytes    INTEGER NOT NULL,
    verified TEXT,
    -- The campaign whose selection it holds; NULL where none was selected.
    campaign INTEGER
);
