-- Versions of its campaign that a launch went on with after it was resumed;
-- the last one stands in the launch.
CREATE TABLE launch_change (
    id INTEGER PRIMARY KEY,
    launch INTEGER NOT NULL REFERENCES launch(id),
    date_ms INTEGER NOT NULL,
    from_version INTEGER NOT NULL,
    to_version INTEGER NOT NULL
);
CREATE INDEX launch_change_launch ON launch_change (launch, date_ms);
