-- URLs that launches have seen, and what was learned of their hosts.

-- Text that many rows share is kept once: hosts with port, page identities, URLs.
CREATE TABLE host (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE page (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE);
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
    -- The parts of the priority (crawl::PriorityParts), and a bit for each other host that cites it.
    parts        BLOB,
    cited        INTEGER,
    -- The page whose link gives the priority, and the text of that link, where they are others than via and anchor.
    linker       INTEGER REFERENCES url(id),
    linker_anchor TEXT,
    -- What the page that was fetched has of the request, from 0 to 10,000.
    score        INTEGER,
    UNIQUE (url, launch)
);
-- The id that every index ends with keeps rows of equal priority in the order they came.
CREATE INDEX seen_queue ON seen(launch, host, priority) WHERE state = 0;
CREATE INDEX seen_state ON seen(launch, state);
-- Pages that were read for the request, in the order they were fetched.
CREATE INDEX seen_scored ON seen(launch, due_ms) WHERE score IS NOT NULL;

-- Seen URLs counted as they come and change, so that no page of the window
-- has to count a million rows. class: 0 to 3 for answers 2xx to 5xx, 4 for
-- failures, 5 for 429 alone, which may be asked again, -1 for the rest; rule_index -1 where no rule spoke. An import of a
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
        CASE NEW.state WHEN 2 THEN iif(NEW.fetch_status = 429, 5, min(max(NEW.fetch_status / 100 - 2, 0), 3)) WHEN 3 THEN 4 ELSE -1 END,
        NEW.accepted, ifnull(NEW.rule_index, -1), NEW.rule_name, 1)
    ON CONFLICT DO UPDATE SET urls = urls + 1;
END;
CREATE TRIGGER seen_changes AFTER UPDATE OF state, fetch_status, accepted, rule_index, rule_name ON seen BEGIN
    UPDATE seen_tally SET urls = urls - 1
        WHERE launch = OLD.launch AND host = OLD.host AND state = OLD.state
          AND class = CASE OLD.state WHEN 2 THEN iif(OLD.fetch_status = 429, 5, min(max(OLD.fetch_status / 100 - 2, 0), 3)) WHEN 3 THEN 4 ELSE -1 END
          AND accepted = OLD.accepted AND rule_index = ifnull(OLD.rule_index, -1) AND rule_name = OLD.rule_name;
    INSERT INTO seen_tally VALUES (NEW.launch, NEW.host, NEW.state,
        CASE NEW.state WHEN 2 THEN iif(NEW.fetch_status = 429, 5, min(max(NEW.fetch_status / 100 - 2, 0), 3)) WHEN 3 THEN 4 ELSE -1 END,
        NEW.accepted, ifnull(NEW.rule_index, -1), NEW.rule_name, 1)
    ON CONFLICT DO UPDATE SET urls = urls + 1;
END;

-- Pages that a launch has read with each term of its request, of those since it began to look for it.
CREATE TABLE launch_term (
    launch INTEGER NOT NULL REFERENCES launch(id),
    term   TEXT NOT NULL,
    -- Pages that it had read by then.
    since  INTEGER NOT NULL,
    pages  INTEGER NOT NULL,
    PRIMARY KEY (launch, term)
) WITHOUT ROWID;

-- Hosts that a launch leaves alone, kept over restarts.
CREATE TABLE host_wait (
    launch   INTEGER NOT NULL REFERENCES launch(id),
    -- Host with port where it is no default.
    host     TEXT NOT NULL,
    -- Not asked before this instant, by the system's clock.
    free_ms  INTEGER NOT NULL,
    -- Times in a row that it gave no answer.
    failures INTEGER NOT NULL DEFAULT 0,
    -- Times in a row that it refused for now (429, 503).
    refusals INTEGER NOT NULL DEFAULT 0,
    -- When this was written, by the clock that free_ms is of.
    set_ms   INTEGER NOT NULL,
    -- Fetch status of its URLs where it was given up, and why; else 0.
    given_up INTEGER NOT NULL DEFAULT 0,
    why      TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (launch, host)
) WITHOUT ROWID;

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
-- Where hosts stand as a handover says it: shown and handed on where this
-- workspace did not ask itself; no rule decides on it.
CREATE TABLE handed_geo (
    host   TEXT PRIMARY KEY NOT NULL,
    fact   TEXT NOT NULL,
    origin TEXT NOT NULL
) WITHOUT ROWID;
