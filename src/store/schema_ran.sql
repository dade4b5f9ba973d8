-- How long a launch ran, without the time that it was paused or stopped.
-- Of launches of an earlier version only their captures tell: times without
-- one for ten minutes are no part of it.
ALTER TABLE launch ADD COLUMN ran_ms INTEGER NOT NULL DEFAULT 0;
-- Since when it has been running; none while it does not.
ALTER TABLE launch ADD COLUMN running_since_ms INTEGER;
