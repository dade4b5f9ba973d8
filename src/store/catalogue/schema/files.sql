-- Archive files, imports of them, and what is wrong in them.

CREATE TABLE warc_file (
    id       INTEGER PRIMARY KEY,
    -- Relative inside the workspace, absolute outside.
    path     TEXT NOT NULL,
    launch   INTEGER NOT NULL REFERENCES launch(id),
    -- As it was read; 0 for a file that a crawl writes.
    size     INTEGER NOT NULL DEFAULT 0,
    mtime_ns INTEGER NOT NULL DEFAULT 0,
    -- Of the whole file; empty until an import has read it to its end.
    sha256   TEXT NOT NULL DEFAULT '',
    records  INTEGER NOT NULL DEFAULT 0,
    problems INTEGER NOT NULL DEFAULT 0,
    -- 0: not known to have changed; 1: other bytes were found at its path;
    -- 2: those were read as a file of their own, which has the path now.
    changed  INTEGER NOT NULL DEFAULT 0,
    -- The package that it was unpacked from.
    package  INTEGER REFERENCES warc_file(id)
);
CREATE UNIQUE INDEX warc_file_path ON warc_file(path) WHERE changed < 2;
CREATE INDEX warc_file_size ON warc_file(size);
CREATE INDEX warc_file_package ON warc_file(package) WHERE package IS NOT NULL;

-- What was asked of an import, so that it can go on after a kill.
CREATE TABLE import (
    launch       INTEGER PRIMARY KEY REFERENCES launch(id),
    sources      TEXT NOT NULL,
    copy         INTEGER NOT NULL,
    passed_over  INTEGER NOT NULL DEFAULT 0,
    -- The first of the files in folders that were passed over, as a list in JSON.
    passed_paths TEXT NOT NULL DEFAULT '[]'
);
-- What an import came to, a row a file.
CREATE TABLE import_file (
    id           INTEGER PRIMARY KEY,
    launch       INTEGER NOT NULL REFERENCES launch(id),
    -- Where it was found; mtime_ns and bytes as they were then.
    path         TEXT NOT NULL,
    mtime_ns     INTEGER NOT NULL,
    bytes        INTEGER NOT NULL,
    -- What it is in the catalogue; none where nothing could be read of it.
    file         INTEGER REFERENCES warc_file(id),
    outcome      TEXT NOT NULL CHECK (outcome IN ('read', 'known', 'moved', 'cut', 'unread')),
    same_as      TEXT,
    error        TEXT,
    records      INTEGER NOT NULL,
    captures     INTEGER NOT NULL,
    new_captures INTEGER NOT NULL,
    revisits     INTEGER NOT NULL,
    problems     INTEGER NOT NULL,
    took_ms      INTEGER NOT NULL,
    -- What a file holds besides captures, as an object in JSON: counts by scheme.
    left_out     TEXT NOT NULL DEFAULT '{}',
    -- Requests and metadata records of no capture that is there.
    orphans      INTEGER NOT NULL DEFAULT 0,
    UNIQUE (launch, path)
);
CREATE INDEX import_file_path ON import_file(path);
CREATE INDEX import_file_file ON import_file(file);

-- What is broken or odd in a file; reading went on.
CREATE TABLE problem (
    id          INTEGER PRIMARY KEY,
    -- The row of the import that met it last.
    import_file INTEGER NOT NULL REFERENCES import_file(id),
    -- None where the file could not be read at all.
    file        INTEGER REFERENCES warc_file(id),
    offset      INTEGER NOT NULL,
    kind        TEXT NOT NULL,
    detail      TEXT NOT NULL,
    -- The file was read again since: a later import has told its problems anew.
    read_again  INTEGER NOT NULL DEFAULT 0,
    -- The compressed member that its record shares with others: its offset in
    -- the file, and the place in the decompressed file of what it decodes to.
    -- NULL where the record has a place of its own.
    member      INTEGER,
    member_decoded INTEGER
);
CREATE INDEX problem_file ON problem(file);
CREATE INDEX problem_import_file ON problem(import_file);
