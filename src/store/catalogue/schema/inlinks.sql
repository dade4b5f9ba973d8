-- What a build of inlinks counted. The inlinks themselves are stored beside the catalogue.

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
CREATE INDEX capture_inlinks_external ON capture_inlinks(external DESC, capture) WHERE external > 0;
-- Pages that are linked to and had no capture when inlinks were built, the
-- most cited ones, with totals over all time.
CREATE TABLE prospect (
    page     INTEGER PRIMARY KEY REFERENCES page(id),
    url      INTEGER NOT NULL REFERENCES url(id),
    internal INTEGER NOT NULL,
    external INTEGER NOT NULL,
    hosts    INTEGER NOT NULL,
    first_s  INTEGER NOT NULL,
    last_s   INTEGER NOT NULL,
    anchor   TEXT NOT NULL
);
CREATE INDEX prospect_order ON prospect(hosts, external, internal);
-- What other sites call things, the words of most hosts: totals over external inlinks.
CREATE TABLE top_anchor (
    text    TEXT PRIMARY KEY NOT NULL,
    hosts   INTEGER NOT NULL,
    links   INTEGER NOT NULL,
    first_s INTEGER NOT NULL,
    last_s  INTEGER NOT NULL
) WITHOUT ROWID;
-- Links to a capture from pages that are not here, as its metadata record in a handover lists them:
-- JSON of [seconds, URL, anchor], stored as lists of outlinks are (store/captures/link_list.rs).
CREATE TABLE absent_link (
    capture INTEGER NOT NULL REFERENCES capture(id),
    -- The handover.
    origin  TEXT NOT NULL,
    -- When they came: a number of the setting 'originals_changed'.
    changed INTEGER NOT NULL,
    links   BLOB NOT NULL,
    PRIMARY KEY (capture, origin)
) WITHOUT ROWID;
CREATE INDEX absent_link_changed ON absent_link(changed);
