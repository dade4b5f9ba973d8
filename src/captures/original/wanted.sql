-- Revisits and what they may repeat, as the rule has them. Captures are numbered
-- by what they are called, so that the order of files tells nothing, and those of
-- one page are near each other.
CREATE TABLE wanted (number INTEGER PRIMARY KEY);
INSERT INTO wanted
    SELECT page FROM seen WHERE of_ms IS NOT NULL
    UNION SELECT of_page FROM seen WHERE of_ms IS NOT NULL
    UNION SELECT digest FROM seen WHERE of_ms IS NOT NULL AND digest <> ''
    UNION SELECT of_record FROM seen WHERE of_record IS NOT NULL;

CREATE TABLE capture (
    id            INTEGER PRIMARY KEY,
    url           INTEGER NOT NULL,
    page          INTEGER NOT NULL,
    digest        NOT NULL,
    record        INTEGER,
    date_ms       INTEGER NOT NULL,
    status        INTEGER NOT NULL,
    media         INTEGER NOT NULL,
    file          INTEGER NOT NULL,
    offset        INTEGER NOT NULL,
    of_url        INTEGER,
    of_page       INTEGER,
    of_record     INTEGER,
    revisit_of_ms INTEGER,
    declared_kind          INTEGER,
    own_url       TEXT
);
INSERT INTO capture SELECT NULL, * FROM seen
    WHERE of_ms IS NOT NULL OR page IN wanted OR digest IN wanted OR record IN wanted
    ORDER BY url, date_ms, record, file, offset;
DROP TABLE seen;
CREATE INDEX capture_payload ON capture(page, digest, url, revisit_of_ms, date_ms);
CREATE INDEX capture_page ON capture(page, date_ms) WHERE revisit_of_ms IS NULL;

-- What each revisit says, and its original.
CREATE TABLE revisit (
    id       INTEGER PRIMARY KEY,
    url      INTEGER NOT NULL,
    page     INTEGER NOT NULL,
    of_url   INTEGER NOT NULL,
    of_page  INTEGER NOT NULL,
    of_ms    INTEGER NOT NULL,
    digest   NOT NULL,
    record   INTEGER,
    declared_kind     INTEGER NOT NULL,
    original INTEGER,
    clause   INTEGER NOT NULL DEFAULT 0
);
INSERT INTO revisit (id, url, page, of_url, of_page, of_ms, digest, record, declared_kind)
    SELECT id, url, page, of_url, of_page, revisit_of_ms, digest, of_record, declared_kind FROM capture
    WHERE revisit_of_ms IS NOT NULL;

CREATE TABLE by_record (record INTEGER, is_page INTEGER, digest, id INTEGER, PRIMARY KEY (record, is_page)) WITHOUT ROWID;
CREATE TABLE payload (digest, is_page INTEGER, date_ms INTEGER, status INTEGER, id INTEGER,
    PRIMARY KEY (digest, is_page, date_ms, id)) WITHOUT ROWID;

CREATE TABLE found (
    number          INTEGER PRIMARY KEY,
    original_file   INTEGER,
    original_offset INTEGER,
    file            INTEGER NOT NULL,
    offset          INTEGER NOT NULL,
    url             TEXT NOT NULL,
    date_ms         INTEGER NOT NULL
);
