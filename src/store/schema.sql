-- The catalogue, version 1. Everything about captures can be rebuilt from the
-- WARC files; campaigns, marks, selections and jobs are only here.

CREATE TABLE setting (
    name  TEXT PRIMARY KEY NOT NULL,
    value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE campaign (
    id         INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    version    INTEGER NOT NULL,
    created_ms INTEGER NOT NULL
);

CREATE TABLE campaign_version (
    campaign INTEGER NOT NULL REFERENCES campaign(id),
    version  INTEGER NOT NULL,
    spec     TEXT NOT NULL,
    saved_ms INTEGER NOT NULL,
    PRIMARY KEY (campaign, version)
) WITHOUT ROWID;

-- One run of a crawl, or one import.
CREATE TABLE launch (
    id         INTEGER PRIMARY KEY,
    kind       TEXT NOT NULL CHECK (kind IN ('crawl', 'import')),
    campaign   INTEGER REFERENCES campaign(id),
    version    INTEGER,
    job        TEXT NOT NULL,
    launch     TEXT NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('running', 'paused', 'stopped', 'finished')),
    started_ms INTEGER NOT NULL,
    ended_ms   INTEGER,
    why        TEXT NOT NULL DEFAULT ''
);

-- Interned text: hosts with port, page identities, URLs, anchor texts.
CREATE TABLE host (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE page (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE);
CREATE TABLE anchor (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE url (
    id   INTEGER PRIMARY KEY,
    url  TEXT NOT NULL UNIQUE,
    page INTEGER NOT NULL REFERENCES page(id),
    host INTEGER NOT NULL REFERENCES host(id)
);
CREATE INDEX url_page ON url(page);

-- Every URL a launch has seen, with its verdict; state 0 is the frontier.
CREATE TABLE seen (
    id           INTEGER PRIMARY KEY,
    launch       INTEGER NOT NULL REFERENCES launch(id),
    url          INTEGER NOT NULL REFERENCES url(id),
    host         INTEGER NOT NULL REFERENCES host(id),
    via          INTEGER REFERENCES url(id),
    hops         TEXT NOT NULL,
    anchor       TEXT NOT NULL,
    seed         TEXT,
    source_tag   TEXT NOT NULL,
    is_seed      INTEGER NOT NULL,
    nofollow     INTEGER NOT NULL,
    accepted     INTEGER NOT NULL,
    rule_index   INTEGER,
    rule_name    TEXT NOT NULL,
    state        INTEGER NOT NULL, -- 0 queued, 1 refused, 2 fetched, 3 failed
    priority     INTEGER NOT NULL,
    due_ms       INTEGER NOT NULL,
    tries        INTEGER NOT NULL DEFAULT 0,
    fetch_status INTEGER NOT NULL DEFAULT 0,
    why          TEXT NOT NULL DEFAULT '',
    date_ms      INTEGER NOT NULL,
    UNIQUE (url, launch)
);
-- The id that every index ends with keeps rows of equal priority in the order they came.
CREATE INDEX seen_queue ON seen(launch, host, priority) WHERE state = 0;
CREATE INDEX seen_next ON seen(launch, priority) WHERE state = 0;
CREATE INDEX seen_state ON seen(launch, state);

-- Seen URLs counted as they come and change, so that no page of the window
-- has to count a million rows. class: 0 to 3 for answers 2xx to 5xx, 4 for
-- failures, -1 for the rest; rule_index -1 where no rule spoke. An import of a
-- log does without the triggers: seen_tally.rs says why, and has the same classes.
CREATE TABLE seen_tally (
    launch     INTEGER NOT NULL REFERENCES launch(id),
    host       INTEGER NOT NULL REFERENCES host(id),
    state      INTEGER NOT NULL,
    class      INTEGER NOT NULL,
    accepted   INTEGER NOT NULL,
    rule_index INTEGER NOT NULL,
    rule_name  TEXT NOT NULL,
    urls       INTEGER NOT NULL,
    PRIMARY KEY (launch, host, state, class, accepted, rule_index, rule_name)
) WITHOUT ROWID;

CREATE TRIGGER seen_comes AFTER INSERT ON seen BEGIN
    INSERT INTO seen_tally VALUES (NEW.launch, NEW.host, NEW.state,
        CASE NEW.state WHEN 2 THEN min(max(NEW.fetch_status / 100 - 2, 0), 3) WHEN 3 THEN 4 ELSE -1 END,
        NEW.accepted, ifnull(NEW.rule_index, -1), NEW.rule_name, 1)
    ON CONFLICT DO UPDATE SET urls = urls + 1;
END;

CREATE TRIGGER seen_changes AFTER UPDATE OF state, fetch_status, accepted, rule_index, rule_name ON seen BEGIN
    UPDATE seen_tally SET urls = urls - 1
        WHERE launch = OLD.launch AND host = OLD.host AND state = OLD.state
          AND class = CASE OLD.state WHEN 2 THEN min(max(OLD.fetch_status / 100 - 2, 0), 3) WHEN 3 THEN 4 ELSE -1 END
          AND accepted = OLD.accepted AND rule_index = ifnull(OLD.rule_index, -1) AND rule_name = OLD.rule_name;
    INSERT INTO seen_tally VALUES (NEW.launch, NEW.host, NEW.state,
        CASE NEW.state WHEN 2 THEN min(max(NEW.fetch_status / 100 - 2, 0), 3) WHEN 3 THEN 4 ELSE -1 END,
        NEW.accepted, ifnull(NEW.rule_index, -1), NEW.rule_name, 1)
    ON CONFLICT DO UPDATE SET urls = urls + 1;
END;

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
    changed  INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX warc_file_path ON warc_file(path) WHERE changed < 2;
CREATE INDEX warc_file_size ON warc_file(size);

-- What was asked of an import, so that it can go on after a kill.
CREATE TABLE import (
    launch      INTEGER PRIMARY KEY REFERENCES launch(id),
    sources     TEXT NOT NULL,
    copy        INTEGER NOT NULL,
    passed_over INTEGER NOT NULL DEFAULT 0
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
    UNIQUE (launch, path)
);
CREATE INDEX import_file_path ON import_file(path);
CREATE INDEX import_file_file ON import_file(file);

-- What is broken or odd in a file; reading went on.
CREATE TABLE problem (
    id     INTEGER PRIMARY KEY,
    -- The row of the import that met it last.
    import_file INTEGER NOT NULL REFERENCES import_file(id),
    -- None where the file could not be read at all.
    file   INTEGER REFERENCES warc_file(id),
    offset INTEGER NOT NULL,
    kind   TEXT NOT NULL,
    detail TEXT NOT NULL
);
CREATE INDEX problem_file ON problem(file);
CREATE INDEX problem_import_file ON problem(import_file);

CREATE TABLE capture (
    id            INTEGER PRIMARY KEY,
    launch        INTEGER NOT NULL REFERENCES launch(id),
    url           INTEGER NOT NULL REFERENCES url(id),
    page          INTEGER NOT NULL REFERENCES page(id),
    host          INTEGER NOT NULL REFERENCES host(id),
    date_ms       INTEGER NOT NULL,
    status        INTEGER NOT NULL,
    mime          TEXT NOT NULL,
    size          INTEGER NOT NULL,
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
    revisit_of_ms INTEGER,
    -- The digest differs from (1) or repeats (2) that of the page's capture before; 0 for a first one.
    change        INTEGER NOT NULL DEFAULT 0,
    -- Bytes of its records as they stand in the files.
    stored        INTEGER NOT NULL
);
CREATE INDEX capture_page ON capture(page, date_ms);
CREATE INDEX capture_url ON capture(url, digest);
CREATE INDEX capture_date ON capture(date_ms);
-- These two answer sums from the index alone.
CREATE INDEX capture_launch ON capture(launch, mime, size, stored);
CREATE INDEX capture_host ON capture(host, launch, size);

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

CREATE TABLE outlink (
    capture  INTEGER NOT NULL REFERENCES capture(id),
    position INTEGER NOT NULL,
    target   INTEGER NOT NULL REFERENCES url(id),
    kind     TEXT NOT NULL,
    anchor   INTEGER NOT NULL REFERENCES anchor(id),
    nofollow INTEGER NOT NULL,
    PRIMARY KEY (capture, position)
) WITHOUT ROWID;

-- Inlinks of a page, sorted by date, so that any window is a range.
CREATE TABLE inlink (
    target   INTEGER NOT NULL REFERENCES page(id),
    date_s   INTEGER NOT NULL,
    source   INTEGER NOT NULL REFERENCES page(id),
    anchor   INTEGER NOT NULL REFERENCES anchor(id),
    internal INTEGER NOT NULL,
    capture  INTEGER NOT NULL,
    PRIMARY KEY (target, date_s, source, anchor)
) WITHOUT ROWID;

-- Pages that are linked to, captured or not, with totals over all time.
CREATE TABLE inlink_target (
    page     INTEGER PRIMARY KEY REFERENCES page(id),
    url      INTEGER NOT NULL REFERENCES url(id),
    internal INTEGER NOT NULL,
    external INTEGER NOT NULL,
    hosts    INTEGER NOT NULL,
    captured INTEGER NOT NULL,
    first_s  INTEGER NOT NULL,
    last_s   INTEGER NOT NULL
);
CREATE INDEX inlink_target_uncaptured ON inlink_target(hosts, external, internal) WHERE captured = 0;

-- What other sites call things: totals of each anchor over external inlinks.
CREATE TABLE inlink_anchor (
    anchor  INTEGER PRIMARY KEY REFERENCES anchor(id),
    hosts   INTEGER NOT NULL,
    links   INTEGER NOT NULL,
    first_s INTEGER NOT NULL,
    last_s  INTEGER NOT NULL
);
CREATE INDEX inlink_anchor_hosts ON inlink_anchor(hosts, links);

CREATE TABLE inlink_build (
    id      INTEGER PRIMARY KEY,
    date_ms INTEGER NOT NULL,
    report  TEXT NOT NULL
);

-- Counts of each capture in the window named by the setting 'window_days'.
CREATE TABLE capture_inlinks (
    capture    INTEGER PRIMARY KEY REFERENCES capture(id),
    internal   INTEGER NOT NULL,
    external   INTEGER NOT NULL,
    hosts      INTEGER NOT NULL,
    cut        INTEGER NOT NULL,
    top_anchor TEXT NOT NULL
);

-- The robots.txt answer that an origin gave in a launch.
CREATE TABLE robots (
    launch  INTEGER NOT NULL REFERENCES launch(id),
    origin  TEXT NOT NULL,
    status  INTEGER NOT NULL,
    body    BLOB NOT NULL,
    date_ms INTEGER NOT NULL,
    PRIMARY KEY (launch, origin)
) WITHOUT ROWID;

-- Where hosts stand, with evidence. Append-only; the last one counts.
CREATE TABLE host_geo (
    id      INTEGER PRIMARY KEY,
    host    TEXT NOT NULL,
    date_ms INTEGER NOT NULL,
    fact    TEXT NOT NULL
);
CREATE INDEX host_geo_host ON host_geo(host, id);

-- What persons said. Append-only; taken back by a date, never removed.
CREATE TABLE mark (
    id        INTEGER PRIMARY KEY,
    act       INTEGER NOT NULL,
    capture   INTEGER NOT NULL REFERENCES capture(id),
    mark      TEXT NOT NULL,
    note      TEXT NOT NULL,
    who       TEXT NOT NULL,
    date_ms   INTEGER NOT NULL,
    undone_ms INTEGER
);
CREATE INDEX mark_capture ON mark(capture, id);

CREATE TABLE selection (
    campaign   INTEGER PRIMARY KEY REFERENCES campaign(id),
    spec       TEXT NOT NULL,
    date_ms    INTEGER NOT NULL,
    -- Captures that come along because a selected one needs them.
    requisites INTEGER NOT NULL
);

CREATE TABLE score (
    campaign INTEGER NOT NULL,
    capture  INTEGER NOT NULL REFERENCES capture(id),
    score    REAL NOT NULL,
    parts    TEXT NOT NULL,
    selected INTEGER NOT NULL,
    by_hand  INTEGER NOT NULL,
    PRIMARY KEY (campaign, capture)
) WITHOUT ROWID;
CREATE INDEX score_capture ON score(capture);

CREATE TABLE export (
    id       INTEGER PRIMARY KEY,
    date_ms  INTEGER NOT NULL,
    folder   TEXT NOT NULL,
    captures INTEGER NOT NULL,
    records  INTEGER NOT NULL,
    bytes    INTEGER NOT NULL,
    verified TEXT
);

CREATE TABLE job (
    id         INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    started_ms INTEGER NOT NULL,
    ended_ms   INTEGER,
    outcome    TEXT NOT NULL DEFAULT ''
);
