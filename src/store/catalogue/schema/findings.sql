-- What the checks of review found (store/findings). All but the marks of persons is derived: fonds check makes it again.

-- The signals of a content version by itself, read once (CheckedPage).
CREATE TABLE check_page (
    version INTEGER PRIMARY KEY REFERENCES capture(id) ON DELETE CASCADE,
    form    INTEGER NOT NULL,
    -- JSON.
    signals BLOB NOT NULL,
    -- MinHash of its main text; empty where it has none.
    sketch  BLOB NOT NULL,
    -- Hashes of its commonest terms with their counts.
    terms   BLOB NOT NULL
);
-- What a capture is beside others: its repeats, its earlier versions, its missing resources. JSON.
CREATE TABLE check_measure (
    capture  INTEGER PRIMARY KEY REFERENCES capture(id) ON DELETE CASCADE,
    measures BLOB NOT NULL
);
-- Addresses of one form on one host: findings of one cause are often in one of them.
CREATE TABLE finding_template (
    id       INTEGER PRIMARY KEY,
    host     INTEGER NOT NULL REFERENCES host(id),
    template TEXT NOT NULL,
    UNIQUE (host, template)
);
CREATE TABLE finding (
    capture     INTEGER NOT NULL REFERENCES capture(id) ON DELETE CASCADE,
    -- The name of a check.
    check_id    TEXT NOT NULL,
    -- 0 problem, 1 odd, 2 not applicable.
    state       INTEGER NOT NULL,
    -- Weight times strength, from 0 to 10,000.
    severity    INTEGER NOT NULL,
    template    INTEGER NOT NULL REFERENCES finding_template(id),
    -- JSON.
    evidence    TEXT NOT NULL,
    -- A person called it a false alarm, on this URL and content.
    false_alarm INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (capture, check_id)
) WITHOUT ROWID;
CREATE INDEX finding_group ON finding(check_id, state, template, false_alarm);
-- The loss of each capture that was checked, from 0 to 10,000, without false alarms.
CREATE TABLE page_loss (
    capture  INTEGER PRIMARY KEY REFERENCES capture(id) ON DELETE CASCADE,
    loss     INTEGER NOT NULL,
    -- Inlinks from other hosts, as they were counted then.
    external INTEGER NOT NULL,
    problems INTEGER NOT NULL,
    odd      INTEGER NOT NULL
);
CREATE INDEX page_loss_order ON page_loss(loss DESC, external DESC, capture);
-- Findings on a launch or one of its hosts.
CREATE TABLE launch_finding (
    launch   INTEGER NOT NULL REFERENCES launch(id),
    check_id TEXT NOT NULL,
    -- A URL, or a host.
    subject  TEXT NOT NULL,
    state    INTEGER NOT NULL,
    severity INTEGER NOT NULL,
    evidence TEXT NOT NULL,
    PRIMARY KEY (launch, check_id, subject)
) WITHOUT ROWID;

-- Findings that persons confirmed or called false alarms. Append-only; taken back by a date, never removed.
CREATE TABLE finding_mark (
    id        INTEGER PRIMARY KEY,
    check_id  TEXT NOT NULL,
    url       INTEGER NOT NULL REFERENCES url(id),
    -- Payload digest of the capture: on other content the same finding is another one.
    digest    TEXT NOT NULL,
    is_right  INTEGER NOT NULL,
    who       TEXT NOT NULL,
    date_ms   INTEGER NOT NULL,
    undone_ms INTEGER,
    -- Where it was given in another workspace: its id as a W3C Web Annotation, and what it came with.
    annotation TEXT UNIQUE,
    origin    TEXT
);
CREATE INDEX finding_mark_url ON finding_mark(url, check_id);
