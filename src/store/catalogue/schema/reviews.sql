-- What persons say in the queue of Review beside their marks (people.sql), and the samples that they judge.

-- What the marks of one act came with.
CREATE TABLE review_act (
    act       INTEGER PRIMARY KEY,
    -- The query that found its captures; empty where a person chose them one by one.
    query     TEXT NOT NULL,
    -- Two judgements, of content and of technical quality: 1 sound, 0 faulty, NULL not judged.
    content   INTEGER,
    technical INTEGER,
    -- Reason codes, a list in JSON.
    codes     TEXT NOT NULL,
    -- It was given in the queue of disagreements, which it ends.
    settles   INTEGER NOT NULL
);

-- Pages drawn at random from those to review, in the order in which they are judged.
CREATE TABLE review_sample (
    id            INTEGER PRIMARY KEY,
    name          TEXT NOT NULL UNIQUE COLLATE NOCASE,
    -- None: of all campaigns.
    campaign      INTEGER REFERENCES campaign(id) ON DELETE CASCADE,
    -- What they were drawn from, as a filter; empty for all.
    filter        TEXT NOT NULL,
    seed          INTEGER NOT NULL,
    -- The margin that it was drawn for, from 0 to 1.
    margin        REAL NOT NULL,
    is_stratified INTEGER NOT NULL,
    who           TEXT NOT NULL,
    date_ms       INTEGER NOT NULL
);
-- The pages that it was drawn from, by host; one row without a host where it was drawn of all together.
CREATE TABLE sample_stratum (
    sample INTEGER NOT NULL REFERENCES review_sample(id) ON DELETE CASCADE,
    host   INTEGER NOT NULL,
    pages  INTEGER NOT NULL,
    PRIMARY KEY (sample, host)
) WITHOUT ROWID;
CREATE TABLE sampled_capture (
    sample  INTEGER NOT NULL REFERENCES review_sample(id) ON DELETE CASCADE,
    place   INTEGER NOT NULL,
    capture INTEGER NOT NULL REFERENCES capture(id) ON DELETE CASCADE,
    host    INTEGER NOT NULL,
    -- A second person judges it, too.
    twice   INTEGER NOT NULL,
    -- A person passed over it.
    skipped INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (sample, place)
) WITHOUT ROWID;
CREATE INDEX sampled_capture_capture ON sampled_capture(capture);
-- Pages of a sample of another workspace that did not come with it, with what was judged of them there.
CREATE TABLE sampled_elsewhere (
    sample    INTEGER NOT NULL REFERENCES review_sample(id) ON DELETE CASCADE,
    place     INTEGER NOT NULL,
    url       TEXT NOT NULL,
    date_ms   INTEGER NOT NULL,
    digest    TEXT NOT NULL,
    record    TEXT NOT NULL,
    host      INTEGER NOT NULL,
    twice     INTEGER NOT NULL,
    skipped   INTEGER NOT NULL,
    -- Faulty in any way, in content, technically: 1, 0, or NULL where that was not judged.
    faulty    INTEGER,
    content   INTEGER,
    technical INTEGER,
    PRIMARY KEY (sample, place)
) WITHOUT ROWID;
