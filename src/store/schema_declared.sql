-- Payload digests that records declare, where these are not those of the payload
-- without its chunks: revisits of the same writer name them.
CREATE TABLE declared_digest (
    capture INTEGER PRIMARY KEY REFERENCES capture(id),
    digest  TEXT NOT NULL
);
