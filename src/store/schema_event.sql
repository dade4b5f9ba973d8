-- What a crawl has to say to a person: waits, hosts that were given up, the
-- network that went and came back, what was recovered.
CREATE TABLE event (
    id INTEGER PRIMARY KEY,
    launch INTEGER NOT NULL REFERENCES launch(id),
    date_ms INTEGER NOT NULL,
    -- A name of crawl::EventKind.
    kind TEXT NOT NULL,
    -- Host with port where it is no default; empty where it concerns none.
    host TEXT NOT NULL DEFAULT '',
    url TEXT NOT NULL DEFAULT '',
    -- HTTP status, a Heritrix fetch status below zero, or 0.
    status INTEGER NOT NULL DEFAULT 0,
    text TEXT NOT NULL,
    -- How many times it happened; more than 1 where repeats were folded.
    count INTEGER NOT NULL DEFAULT 1
);
CREATE INDEX event_launch ON event (launch, id);
CREATE INDEX event_kind ON event (launch, kind, id);
-- Hosts that a launch leaves alone, kept over restarts.
CREATE TABLE host_wait (
    launch INTEGER NOT NULL REFERENCES launch(id),
    -- Host with port where it is no default.
    host TEXT NOT NULL,
    -- Not asked before this instant, by the system's clock.
    free_ms INTEGER NOT NULL,
    -- Times in a row that it gave no answer.
    failures INTEGER NOT NULL DEFAULT 0,
    -- Times in a row that it refused for now (429, 503).
    refusals INTEGER NOT NULL DEFAULT 0,
    -- When this was written, by the clock that free_ms is of.
    set_ms INTEGER NOT NULL,
    -- Fetch status of its URLs where it was given up, and why; else 0.
    given_up INTEGER NOT NULL DEFAULT 0,
    why TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (launch, host)
) WITHOUT ROWID;
