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

-- Captures put together across campaigns, by hand or by a filter that is
-- asked again after each crawl and import of a campaign.
CREATE TABLE collection (
    id       INTEGER PRIMARY KEY,
    name     TEXT NOT NULL UNIQUE COLLATE NOCASE,
    about    TEXT NOT NULL,
    -- Empty where captures come by hand alone.
    filter   TEXT NOT NULL,
    -- Whose scores and selection the filter asks for; none where it has no filter.
    campaign INTEGER REFERENCES campaign(id),
    who      TEXT NOT NULL,
    date_ms  INTEGER NOT NULL
);
CREATE TABLE collected (
    collection INTEGER NOT NULL REFERENCES collection(id),
    capture    INTEGER NOT NULL REFERENCES capture(id),
    -- Taken out by a person: the filter does not bring it back.
    is_out     INTEGER NOT NULL,
    -- Empty where the filter brought it.
    who        TEXT NOT NULL,
    date_ms    INTEGER NOT NULL,
    PRIMARY KEY (collection, capture)
) WITHOUT ROWID;
CREATE INDEX collected_capture ON collected(capture);
