-- What was read, in the order of the files.
CREATE TABLE seen (
    url       INTEGER NOT NULL,
    page      INTEGER NOT NULL,
    digest    NOT NULL,
    record    INTEGER,
    date_ms   INTEGER NOT NULL,
    status    INTEGER NOT NULL,
    media     INTEGER NOT NULL,
    file      INTEGER NOT NULL,
    offset    INTEGER NOT NULL,
    -- Of revisits.
    of_url    INTEGER,
    of_page   INTEGER,
    of_record INTEGER,
    of_ms     INTEGER,
    declared_kind      INTEGER,
    own_url   TEXT
);
