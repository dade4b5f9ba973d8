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
