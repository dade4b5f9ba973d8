-- Revisits that say that they repeat a capture of another URL. Their links are
-- resolved against their own URL: they are stored as theirs, once the content
-- of what they repeat was read.
CREATE TABLE repeat (
    capture  INTEGER PRIMARY KEY REFERENCES capture(id),
    -- What it says that it repeats.
    url      INTEGER NOT NULL REFERENCES url(id),
    -- The capture whose content was read for links; NULL while there is none.
    original INTEGER REFERENCES capture(id)
);
CREATE INDEX repeat_waiting ON repeat(capture) WHERE original IS NULL;
CREATE INDEX repeat_original ON repeat(original) WHERE original IS NOT NULL;
