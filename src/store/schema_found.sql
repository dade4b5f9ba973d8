-- The capture that a revisit repeats where it names none that is here, found by
-- its payload among those of all URLs. Its row is made then.
ALTER TABLE repeat ADD COLUMN found INTEGER REFERENCES capture(id);
CREATE INDEX repeat_found ON repeat(found) WHERE found IS NOT NULL;
