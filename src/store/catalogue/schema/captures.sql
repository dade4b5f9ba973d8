-- Captures, their records and links. All of it can be rebuilt from the archive files.

CREATE TABLE capture (
    id            INTEGER PRIMARY KEY,
    launch        INTEGER NOT NULL REFERENCES launch(id),
    url           INTEGER NOT NULL REFERENCES url(id),
    page          INTEGER NOT NULL REFERENCES page(id),
    host          INTEGER NOT NULL REFERENCES host(id),
    date_ms       INTEGER NOT NULL,
    -- Of a revisit without an HTTP head, those of what it repeats.
    status        INTEGER NOT NULL,
    mime          TEXT NOT NULL,
    -- What it is to a person: a number of captures::Media. Of a revisit media, size,
    -- digest, title and language are those of its original.
    media         INTEGER NOT NULL,
    size          INTEGER NOT NULL,
    -- Of its payload; empty where it has none that is known.
    digest        TEXT NOT NULL,
    truncated     TEXT NOT NULL DEFAULT '',
    ip            TEXT NOT NULL DEFAULT '',
    fetch_ms      INTEGER,
    title         TEXT NOT NULL DEFAULT '',
    language      TEXT NOT NULL DEFAULT '',
    hops          TEXT NOT NULL DEFAULT '',
    via           INTEGER REFERENCES url(id),
    seed          TEXT,
    source_tag    TEXT NOT NULL DEFAULT '',
    rule_index    INTEGER,
    rule_name     TEXT NOT NULL DEFAULT '',
    redirect_to   INTEGER REFERENCES url(id),
    -- The date that a revisit names, or its own; NULL of what is no revisit.
    revisit_of_ms INTEGER,
    -- The capture whose payload a revisit repeats; NULL where it is not here.
    original      INTEGER REFERENCES capture(id),
    -- The digest differs from (1) or repeats (2) that of the page's capture before; 0 for a first one. An error has
    -- changed (1) where the capture before was 2xx.
    change        INTEGER NOT NULL DEFAULT 0,
    -- Bytes of its records as they stand in the files.
    stored        INTEGER NOT NULL
);
CREATE INDEX capture_page ON capture(page, date_ms, status);
CREATE INDEX capture_url ON capture(url);
CREATE INDEX capture_date ON capture(date_ms);
-- A content version is one look into this index, and so is what a revisit repeats.
CREATE INDEX capture_payload ON capture(page, digest, url, revisit_of_ms, date_ms);
CREATE INDEX capture_revisit ON capture(page, revisit_of_ms) WHERE revisit_of_ms IS NOT NULL;
CREATE INDEX capture_original ON capture(original) WHERE original IS NOT NULL;
-- What answers sums from an index alone has its rows in the order they come, so
-- that captures that come together change the same few pages of it.
CREATE INDEX capture_launch ON capture(launch, media, mime, id, size, stored);
CREATE INDEX capture_host ON capture(host, launch, id, size);

-- Decisions are on content versions (people.sql): those on a revisit whose original is found late go with it.
CREATE TRIGGER version_changes AFTER UPDATE OF page, digest ON capture
    WHEN OLD.page <> NEW.page OR OLD.digest <> NEW.digest BEGIN
    UPDATE mark SET page = NEW.page, digest = NEW.digest WHERE capture = NEW.id;
END;

-- What the record of a revisit says itself, and how its original was found
-- (store/captures/originals.rs).
CREATE TABLE revisit (
    capture       INTEGER PRIMARY KEY REFERENCES capture(id),
    -- The URL and the record that it names, where these are others than its own and known.
    url           INTEGER REFERENCES url(id),
    record_id     TEXT,
    -- The digest that it declares, where its capture has another.
    digest        TEXT,
    -- Whether that digest is one of a payload: of what was not modified it may be that of no bytes.
    names_payload INTEGER NOT NULL,
    -- It has no HTTP head: status and type are those of its original.
    lacks_head    INTEGER NOT NULL,
    -- Its own head says that it is a page (1) or something else (2); 0 where it does not say.
    declared_kind INTEGER NOT NULL,
    -- The clause of the rule that found its original; NULL while there is none.
    found_by      INTEGER,
    -- When its original was found after it came, or another one: a number that grows
    -- (the setting 'originals_changed').
    changed       INTEGER,
    -- The original of another URL whose content was read for links, which are
    -- resolved against the URL of the revisit and kept as its own.
    links_of      INTEGER REFERENCES capture(id),
    -- They have to be read.
    links_pending INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX revisit_url ON revisit(url) WHERE url IS NOT NULL;
CREATE INDEX revisit_digest ON revisit(digest) WHERE digest IS NOT NULL AND names_payload;
CREATE INDEX revisit_changed ON revisit(changed) WHERE changed IS NOT NULL;
CREATE INDEX revisit_waiting ON revisit(capture) WHERE links_pending;
-- Those that a capture which comes later may turn out to be the original of,
-- by its record or payload alone.
CREATE INDEX revisit_open ON revisit(capture) WHERE found_by IS NULL OR found_by > 1;
CREATE INDEX revisit_links_of ON revisit(links_of) WHERE links_of IS NOT NULL;

-- Payload digests that records declare, where these are not those of the payload
-- without its chunks: revisits of the same writer name them.
CREATE TABLE declared_digest (
    capture INTEGER PRIMARY KEY REFERENCES capture(id),
    page    INTEGER NOT NULL REFERENCES page(id),
    digest  TEXT NOT NULL
);
CREATE INDEX declared_digest_page ON declared_digest(page, digest);
CREATE INDEX declared_digest_digest ON declared_digest(digest);

-- The rule that a file of others names for a capture of it. No rule of this
-- workspace let that capture in.
CREATE TABLE file_rule (
    capture INTEGER PRIMARY KEY REFERENCES capture(id),
    rule    TEXT NOT NULL
);
-- Captures of pages that were not read as they were meant, and why in a word
-- (Unread::word).
CREATE TABLE unread_page (
    capture INTEGER PRIMARY KEY REFERENCES capture(id),
    why     TEXT NOT NULL
);

-- The records of a capture and where they stand; position 0 is the response.
CREATE TABLE record (
    capture   INTEGER NOT NULL REFERENCES capture(id),
    position  INTEGER NOT NULL,
    kind      TEXT NOT NULL,
    record_id TEXT NOT NULL,
    file      INTEGER NOT NULL REFERENCES warc_file(id),
    offset    INTEGER NOT NULL,
    length    INTEGER NOT NULL,
    PRIMARY KEY (capture, position)
) WITHOUT ROWID;
CREATE UNIQUE INDEX record_place ON record(file, offset);
-- Captures that an imported file holds as well, with the same record id and payload digest.
CREATE TABLE copied_capture (
    capture INTEGER NOT NULL REFERENCES capture(id),
    file    INTEGER NOT NULL REFERENCES warc_file(id),
    PRIMARY KEY (capture, file)
) WITHOUT ROWID;

-- Lists of outlinks that came together, compressed as one (store/captures/link_list.rs).
CREATE TABLE link_block (
    id    INTEGER PRIMARY KEY,
    links BLOB NOT NULL
);
-- The outlinks of a capture; several lists where they came in parts.
CREATE TABLE link_list (
    capture INTEGER NOT NULL REFERENCES capture(id),
    part    INTEGER NOT NULL,
    -- Links of <a href> among them.
    anchors INTEGER NOT NULL,
    -- The highest position among them.
    last    INTEGER NOT NULL,
    -- The block that it is in, which goes with the last of its lists, and its place
    -- there before it is compressed.
    block   INTEGER NOT NULL,
    begin   INTEGER NOT NULL,
    length  INTEGER NOT NULL,
    PRIMARY KEY (capture, part)
) WITHOUT ROWID;
-- Captures whose outlinks are not all stored yet: the rest stands in their
-- metadata record.
CREATE TABLE outlink_gap (
    capture    INTEGER PRIMARY KEY REFERENCES capture(id) ON DELETE CASCADE,
    -- Its records could not be read when it was to be completed.
    unreadable INTEGER NOT NULL DEFAULT 0
);

-- Pages that a browser opened (store/captures/replay_checks.rs), with what it showed, as JSON.
CREATE TABLE replay_check (
    capture       INTEGER PRIMARY KEY REFERENCES capture(id),
    checked_ms    INTEGER NOT NULL,
    browser       TEXT NOT NULL,
    width         INTEGER NOT NULL,
    height        INTEGER NOT NULL,
    -- The share of captured words that are shown, 0 to 1; NULL where there are next to none.
    words         REAL,
    requested     INTEGER NOT NULL,
    missing       INTEGER NOT NULL,
    script_errors INTEGER NOT NULL,
    -- The file of its picture, below the workspace.
    picture       TEXT NOT NULL,
    findings      TEXT NOT NULL
);
