-- The outlinks of a capture, compressed; several lists where they came in parts.
CREATE TABLE link_list (
    id      INTEGER PRIMARY KEY,
    capture INTEGER NOT NULL REFERENCES capture(id),
    -- Links of <a href> among them.
    anchors INTEGER NOT NULL,
    -- The highest position among them.
    last    INTEGER NOT NULL,
    links   BLOB NOT NULL
);
CREATE INDEX link_list_capture ON link_list(capture, anchors, last);
