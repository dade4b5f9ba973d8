-- What persons said of results of a search. Append-only: of what a person said
-- of a result of a query the last counts; the result is the content version
-- that the capture has.
CREATE TABLE judgement (
    id         INTEGER PRIMARY KEY,
    -- The query as a line, with what was chosen beside it.
    query      TEXT NOT NULL,
    capture    INTEGER NOT NULL REFERENCES capture(id),
    -- right, wrong or unsure; clear takes it back.
    judgement  TEXT NOT NULL,
    who        TEXT NOT NULL,
    date_ms    INTEGER NOT NULL,
    -- Its place among the results by relevance, where it was shown there.
    rank       INTEGER,
    -- Where it was given in another workspace: its id as a W3C Web Annotation,
    -- and what it came with.
    annotation TEXT UNIQUE,
    origin     TEXT
);
CREATE INDEX judgement_query ON judgement(query);
CREATE INDEX judgement_capture ON judgement(capture);
