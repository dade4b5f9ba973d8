-- Launches of crawls and imports, schedules, events, and the history of jobs.

CREATE TABLE setting (
    name  TEXT PRIMARY KEY NOT NULL,
    value TEXT NOT NULL
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
    why        TEXT NOT NULL DEFAULT '',
    -- Another crawler made it and its logs were imported: nobody goes on with
    -- it, and it is no run of this program.
    is_foreign INTEGER NOT NULL DEFAULT 0,
    -- How long it ran, without the time that it was paused or stopped.
    ran_ms     INTEGER NOT NULL DEFAULT 0,
    -- Since when it has been running; none while it does not.
    running_since_ms INTEGER,
    -- The seed of the random choices of its order.
    order_seed INTEGER NOT NULL DEFAULT 0,
    -- The version of its campaign that all of its queue is ordered by.
    ordered_by INTEGER,
    -- URLs that a trial may fetch; none where it is no trial.
    trial      INTEGER,
    -- When a person kept a trial.
    kept_ms    INTEGER
);
-- Trials and patches that a person threw away. Their captures are in no other table.
CREATE TABLE discarded_launch (
    id       INTEGER PRIMARY KEY,
    campaign TEXT NOT NULL,
    job      TEXT NOT NULL,
    launch   TEXT NOT NULL,
    captures INTEGER NOT NULL,
    who      TEXT NOT NULL,
    date_ms  INTEGER NOT NULL,
    -- Its files are moved where they belong to nothing any more.
    is_moved INTEGER NOT NULL DEFAULT 0,
    is_patch INTEGER NOT NULL DEFAULT 0
);
-- The URLs that a patch was made for: launches with some are patches, which count as trials as well.
CREATE TABLE patch_url (
    launch   INTEGER NOT NULL REFERENCES launch(id),
    position INTEGER NOT NULL,
    url      TEXT NOT NULL,
    PRIMARY KEY (launch, position)
) WITHOUT ROWID;
-- Crawls of another workspace that came with a handover, and which one. Like
-- those of another crawler nobody goes on with them.
CREATE TABLE launch_origin (
    launch INTEGER PRIMARY KEY REFERENCES launch(id),
    origin TEXT NOT NULL
);
-- Versions of its campaign that a launch went on with after it was resumed;
-- the last one stands in the launch.
CREATE TABLE launch_change (
    id           INTEGER PRIMARY KEY,
    launch       INTEGER NOT NULL REFERENCES launch(id),
    date_ms      INTEGER NOT NULL,
    from_version INTEGER NOT NULL,
    to_version   INTEGER NOT NULL
);
CREATE INDEX launch_change_launch ON launch_change(launch, date_ms);
-- What a launch had done after some time of its run; a few hundred moments of each.
CREATE TABLE launch_sample (
    launch    INTEGER NOT NULL REFERENCES launch(id),
    ran_ms    INTEGER NOT NULL,
    found     INTEGER NOT NULL,
    done      INTEGER NOT NULL,
    bytes     INTEGER NOT NULL,
    in_flight INTEGER NOT NULL,
    PRIMARY KEY (launch, ran_ms)
) WITHOUT ROWID;

-- Runs that a campaign's schedule called for, and what became of each. A run
-- has one row at most, whatever the clock does, so none starts twice.
CREATE TABLE schedule_run (
    id         INTEGER PRIMARY KEY,
    campaign   INTEGER NOT NULL REFERENCES campaign(id),
    due_ms     INTEGER NOT NULL,
    is_extra   INTEGER NOT NULL,
    state      TEXT NOT NULL CHECK (state IN
        ('waiting', 'asked', 'running', 'done', 'stopped', 'failed', 'missed', 'made_up', 'overlapped', 'skipped')),
    launch     INTEGER REFERENCES launch(id),
    noticed_ms INTEGER NOT NULL,
    why        TEXT NOT NULL DEFAULT '',
    UNIQUE (campaign, due_ms)
);
CREATE INDEX schedule_run_open ON schedule_run(state) WHERE state IN ('waiting', 'asked', 'running');

-- Sources of campaigns: how far each was read, and what its last run came to.
CREATE TABLE source (
    id          INTEGER PRIMARY KEY,
    campaign    INTEGER NOT NULL REFERENCES campaign(id),
    name        TEXT NOT NULL,
    -- Kind and address: what was kept of another one under this name does not count.
    place       TEXT NOT NULL,
    -- How far each of its queries was read, as an object in JSON.
    marks       TEXT NOT NULL DEFAULT '{}',
    last_run_ms INTEGER,
    next_run_ms INTEGER,
    -- The last run in words, and whether it failed.
    outcome     TEXT NOT NULL DEFAULT '',
    has_failed  INTEGER NOT NULL DEFAULT 0,
    -- The server says that it is gone for good: launches leave it alone.
    is_gone     INTEGER NOT NULL DEFAULT 0,
    UNIQUE (campaign, name)
);
-- Pages that sources named. They go into the queue of the next launch of their campaign.
CREATE TABLE source_page (
    id       INTEGER PRIMARY KEY,
    source   INTEGER NOT NULL REFERENCES source(id) ON DELETE CASCADE,
    url      TEXT NOT NULL,
    -- Its state by the source's word: with another one it is fetched again.
    state    TEXT NOT NULL,
    title    TEXT NOT NULL DEFAULT '',
    -- The answer that named it.
    via      TEXT NOT NULL,
    -- The item whose text has it; none of an item itself.
    within   TEXT,
    found_ms INTEGER NOT NULL,
    -- The launch that took it; none while it waits for one.
    launch   INTEGER REFERENCES launch(id) ON DELETE SET NULL,
    UNIQUE (source, url)
);
CREATE INDEX source_page_waiting ON source_page(source) WHERE launch IS NULL;
CREATE INDEX source_page_launch ON source_page(launch) WHERE launch IS NOT NULL;

-- What a crawl has to say to a person: waits, hosts that were given up, the
-- network that went and came back, what was recovered.
CREATE TABLE event (
    id      INTEGER PRIMARY KEY,
    launch  INTEGER NOT NULL REFERENCES launch(id),
    date_ms INTEGER NOT NULL,
    -- A name of crawl::EventKind.
    kind    TEXT NOT NULL,
    -- Host with port where it is no default; empty where it concerns none.
    host    TEXT NOT NULL DEFAULT '',
    url     TEXT NOT NULL DEFAULT '',
    -- HTTP status, a Heritrix fetch status below zero, or 0.
    status  INTEGER NOT NULL DEFAULT 0,
    text    TEXT NOT NULL,
    -- The text without digits and without what counts repeats: events that
    -- have it in common, with kind, host and status, are one line of a list.
    shape   TEXT NOT NULL,
    -- How many times it happened; more than 1 where repeats were folded.
    count   INTEGER NOT NULL DEFAULT 1
);
CREATE INDEX event_launch ON event(launch, id);
CREATE INDEX event_kind ON event(launch, kind, id);

CREATE TABLE job (
    id         INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    started_ms INTEGER NOT NULL,
    ended_ms   INTEGER,
    outcome    TEXT NOT NULL DEFAULT '',
    -- The job that it followed by itself, such as the crawl whose texts it indexed.
    follows    INTEGER
);
