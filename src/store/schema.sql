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
    UNIQUE (launch, url)
);
CREATE INDEX seen_queue ON seen(launch, host, priority, id) WHERE state = 0;
CREATE INDEX seen_state ON seen(launch, state, rule_name);

CREATE TABLE warc_file (
    id      INTEGER PRIMARY KEY,
    path    TEXT NOT NULL UNIQUE,
    launch  INTEGER NOT NULL REFERENCES launch(id),
    size    INTEGER NOT NULL DEFAULT 0,
    sha256  TEXT NOT NULL DEFAULT '',
    records INTEGER NOT NULL DEFAULT 0
);

-- What is broken or odd in a file; reading went on.
CREATE TABLE problem (
    id     INTEGER PRIMARY KEY,
    file   INTEGER NOT NULL REFERENCES warc_file(id),
    offset INTEGER NOT NULL,
    kind   TEXT NOT NULL,
    detail TEXT NOT NULL
);

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
    change        INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX capture_page ON capture(page, date_ms);
CREATE INDEX capture_url ON capture(url, digest);
CREATE INDEX capture_date ON capture(date_ms);
CREATE INDEX capture_launch ON capture(launch);
CREATE INDEX capture_host ON capture(host);

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
CREATE INDEX inlink_target_uncaptured ON inlink_target(hosts) WHERE captured = 0;

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
    campaign INTEGER PRIMARY KEY REFERENCES campaign(id),
    spec     TEXT NOT NULL,
    date_ms  INTEGER NOT NULL
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
