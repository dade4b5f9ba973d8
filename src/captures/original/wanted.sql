-- Revisits and what they may repeat, as the catalogue has them. Captures are
-- numbered by what they are called, so that the order of files tells nothing,
-- and those of one page are near each other.
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
    mime          TEXT NOT NULL,
    file          INTEGER NOT NULL,
    offset        INTEGER NOT NULL,
    of_url        INTEGER,
    of_page       INTEGER,
    of_record     INTEGER,
    revisit_of_ms INTEGER,
    own_url       TEXT
);
INSERT INTO capture SELECT NULL, * FROM seen
    WHERE of_ms IS NOT NULL OR page IN wanted OR digest IN wanted OR record IN wanted
    ORDER BY url, date_ms, record, file, offset;
DROP TABLE seen;
CREATE INDEX capture_url ON capture(url, digest, revisit_of_ms, date_ms);
CREATE INDEX capture_page ON capture(page, date_ms) WHERE revisit_of_ms IS NULL;

CREATE TABLE repeat (capture INTEGER PRIMARY KEY, url INTEGER NOT NULL, found INTEGER);
INSERT INTO repeat SELECT id, of_url, NULL FROM capture WHERE of_url <> url;
CREATE TABLE url (id INTEGER PRIMARY KEY, page INTEGER NOT NULL);
INSERT OR IGNORE INTO url SELECT of_url, of_page FROM capture WHERE of_url IS NOT NULL ORDER BY of_url;

CREATE TABLE found (
    number          INTEGER PRIMARY KEY,
    original_file   INTEGER,
    original_offset INTEGER,
    file            INTEGER NOT NULL,
    offset          INTEGER NOT NULL,
    url             TEXT NOT NULL,
    date_ms         INTEGER NOT NULL
);
