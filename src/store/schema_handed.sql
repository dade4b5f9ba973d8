-- Crawls of another workspace that came with a handover, and which one. Like
-- those of another crawler nobody goes on with them.
CREATE TABLE launch_origin (
    launch INTEGER PRIMARY KEY REFERENCES launch(id),
    origin TEXT NOT NULL
);
-- Where hosts stand as a handover says it: shown and handed on where this
-- workspace did not ask itself; no rule decides on it.
CREATE TABLE handed_geo (
    host   TEXT PRIMARY KEY NOT NULL,
    fact   TEXT NOT NULL,
    origin TEXT NOT NULL
) WITHOUT ROWID;
