-- Inlinks are stored beside the catalogue. What an earlier version built is
-- not taken over: it is built anew, once.
INSERT OR REPLACE INTO setting SELECT 'inlinks_wanted', '1' WHERE EXISTS (SELECT 1 FROM inlink_build);
DROP TABLE IF EXISTS inlink_new;
DROP TABLE IF EXISTS target_new;
DROP TABLE IF EXISTS capture_inlinks_new;
DROP TABLE inlink;
DROP TABLE inlink_target;
DROP TABLE inlink_anchor;
DELETE FROM inlink_build;
DELETE FROM capture_inlinks;
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
