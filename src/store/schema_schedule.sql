-- Runs that a campaign's schedule called for, and what became of each. A run
-- has one row at most, whatever the clock does, so none starts twice.
CREATE TABLE schedule_run (
    id         INTEGER PRIMARY KEY,
    campaign   INTEGER NOT NULL REFERENCES campaign(id),
    due_ms     INTEGER NOT NULL,
    is_extra   INTEGER NOT NULL,
    state      TEXT NOT NULL CHECK (state IN
        ('waiting', 'asked', 'running', 'done', 'stopped', 'failed', 'missed', 'made_up', 'overlapped', 'skipped')),
    launch     INTEGER REFERENCES launch(id),
    noticed_ms INTEGER NOT NULL,
    why        TEXT NOT NULL DEFAULT '',
    UNIQUE (campaign, due_ms)
);
CREATE INDEX schedule_run_open ON schedule_run(state) WHERE state IN ('waiting', 'asked', 'running');
