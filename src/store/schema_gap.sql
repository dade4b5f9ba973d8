-- Captures whose outlinks are not all stored yet: the rest stands in their
-- metadata record.
CREATE TABLE outlink_gap (
    capture INTEGER PRIMARY KEY REFERENCES capture(id) ON DELETE CASCADE,
    -- Its records could not be read when it was to be completed.
    unreadable INTEGER NOT NULL DEFAULT 0
);
