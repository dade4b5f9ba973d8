-- Records that revisits name as what they repeat (WARC-Refers-To).
CREATE TABLE refers_to (
    capture   INTEGER PRIMARY KEY REFERENCES capture(id),
    record_id TEXT NOT NULL
);
-- Originals are found by another rule: those that were not there are searched again.
DELETE FROM setting WHERE name = 'originals_searched';
