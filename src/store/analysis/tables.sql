-- What analyses found. Derived from the texts of the index, the authority files and merges of the catalogue: it can be
-- deleted, and is made again where its form is another one.

-- What was found in the text of a content version by itself, once.
CREATE TABLE page (
    version INTEGER PRIMARY KEY,
    -- The names that were searched for (Gazetteer::digest).
    names   TEXT NOT NULL,
    -- JSON, packed (LZ4).
    content BLOB NOT NULL
);
-- Counts of all pages together: case, terms.
CREATE TABLE corpus (
    name    TEXT PRIMARY KEY,
    content BLOB NOT NULL
) WITHOUT ROWID;

CREATE TABLE run (
    id         INTEGER PRIMARY KEY,
    -- Campaigns, launches, imports, query, period and steps, as JSON.
    inputs     TEXT NOT NULL,
    -- Version of the program that made it.
    program    TEXT NOT NULL,
    -- SHA-256 of all that its results follow from.
    digest     TEXT NOT NULL,
    -- RunReach: which searches it answers.
    reach      TEXT NOT NULL,
    -- Made while a crawl went on; the next run of the same inputs takes its place.
    interim    INTEGER NOT NULL,
    started_ms INTEGER NOT NULL,
    -- None while it runs, and where it was killed.
    ended_ms   INTEGER,
    -- When it ended, or was found again to have what its inputs give: the last one is the present one.
    present_ms INTEGER NOT NULL DEFAULT 0,
    pages      INTEGER NOT NULL DEFAULT 0,
    captures   INTEGER NOT NULL DEFAULT 0,
    -- Pages whose text was read for it.
    fresh      INTEGER NOT NULL DEFAULT 0,
    sentences  INTEGER NOT NULL DEFAULT 0,
    mentions   INTEGER NOT NULL DEFAULT 0,
    entities   INTEGER NOT NULL DEFAULT 0,
    terms      INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE entity (
    run       INTEGER NOT NULL,
    id        INTEGER NOT NULL,
    name      TEXT NOT NULL,
    kind      TEXT NOT NULL,
    -- What names it in its authority file; empty for a candidate.
    uri       TEXT NOT NULL,
    -- The authority file; empty for a candidate.
    source    TEXT NOT NULL,
    mentions  INTEGER NOT NULL,
    sentences INTEGER NOT NULL,
    pages     INTEGER NOT NULL,
    hosts     INTEGER NOT NULL,
    first_ms  INTEGER NOT NULL,
    last_ms   INTEGER NOT NULL,
    -- Pages by month of first capture: month (12 × year + month from 0) and pages, 4 bytes each, little-endian.
    months    BLOB NOT NULL,
    PRIMARY KEY (run, id)
) WITHOUT ROWID;
CREATE INDEX entity_order ON entity(run, pages DESC, id);
-- Names of an entity, folded.
CREATE TABLE entity_name (
    run    INTEGER NOT NULL,
    name   TEXT NOT NULL,
    entity INTEGER NOT NULL,
    PRIMARY KEY (run, name, entity)
) WITHOUT ROWID;
CREATE TABLE mention (
    run     INTEGER NOT NULL,
    entity  INTEGER NOT NULL,
    version INTEGER NOT NULL,
    -- First character, characters and sentence of each, 4 bytes each, little-endian.
    places  BLOB NOT NULL,
    PRIMARY KEY (run, entity, version)
) WITHOUT ROWID;
CREATE INDEX mention_page ON mention(run, version, entity);
-- The terms of a page that set it apart, as JSON.
CREATE TABLE page_term (
    run     INTEGER NOT NULL,
    version INTEGER NOT NULL,
    terms   TEXT NOT NULL,
    PRIMARY KEY (run, version)
) WITHOUT ROWID;
CREATE TABLE term (
    run       INTEGER NOT NULL,
    place     INTEGER NOT NULL,
    text      TEXT NOT NULL,
    count     INTEGER NOT NULL,
    pages     INTEGER NOT NULL,
    elsewhere INTEGER NOT NULL,
    c_value   REAL NOT NULL,
    keyness   REAL,
    PRIMARY KEY (run, place)
) WITHOUT ROWID;
