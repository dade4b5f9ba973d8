-- Marks that were given in another workspace, and where they came from. They
-- have numbers below zero, so that the last mark given here is always the last
-- one by number: what a person decided here holds.
CREATE TABLE mark_origin (
    mark       INTEGER PRIMARY KEY REFERENCES mark(id),
    -- Its id as a W3C Web Annotation.
    annotation TEXT NOT NULL UNIQUE,
    origin     TEXT NOT NULL
);
-- Annotations on captures that are not here, kept as they came.
CREATE TABLE annotation_apart (
    annotation TEXT PRIMARY KEY NOT NULL,
    line       TEXT NOT NULL,
    origin     TEXT NOT NULL
) WITHOUT ROWID;
