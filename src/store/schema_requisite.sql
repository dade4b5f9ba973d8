-- Captures that come along because a selected one needs them; none of them is
-- selected itself.
CREATE TABLE requisite (
    campaign INTEGER NOT NULL,
    capture  INTEGER NOT NULL REFERENCES capture(id),
    PRIMARY KEY (campaign, capture)
) WITHOUT ROWID;
CREATE INDEX requisite_capture ON requisite(capture);
