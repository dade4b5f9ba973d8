-- What people made and decided. Nothing else has it: it is never rebuilt, and handed over as annotations.

CREATE TABLE campaign (
    id         INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    version    INTEGER NOT NULL,
    created_ms INTEGER NOT NULL,
    -- A UUID that it has in every workspace. Of several with one identity the
    -- lowest number is the campaign; the others are branches of it that came.
    identity   TEXT NOT NULL,
    -- When a person deleted it. One that was crawled stays as what its crawls were decided by.
    deleted_ms INTEGER
);
CREATE TABLE campaign_version (
    campaign INTEGER NOT NULL REFERENCES campaign(id),
    version  INTEGER NOT NULL,
    spec     TEXT NOT NULL,
    saved_ms INTEGER NOT NULL,
    -- SHA-256 of its content, and of that of the version it was made from.
    digest   TEXT NOT NULL,
    parent   TEXT,
    -- What it came with, such as a handover; none where it was saved here.
    origin   TEXT,
    PRIMARY KEY (campaign, version)
) WITHOUT ROWID;
-- Campaigns that came from elsewhere: the file or folder, and when a person here
-- let them run. Until then none of their crawls starts.
CREATE TABLE campaign_origin (
    campaign     INTEGER PRIMARY KEY REFERENCES campaign(id),
    origin       TEXT NOT NULL,
    activated_ms INTEGER
);

-- Decisions and notes on captures. Append-only; taken back by a date, never removed.
-- A decision is on the content version of its capture (store/review/marks.rs).
CREATE TABLE mark (
    id        INTEGER PRIMARY KEY,
    act       INTEGER NOT NULL,
    capture   INTEGER NOT NULL REFERENCES capture(id),
    -- approve, reject, flag, clear or note.
    mark      TEXT NOT NULL,
    note      TEXT NOT NULL,
    who       TEXT NOT NULL,
    date_ms   INTEGER NOT NULL,
    undone_ms INTEGER,
    -- The content version: page and digest of the capture, which triggers keep (version_changes, mark_comes).
    page      INTEGER NOT NULL DEFAULT 0,
    digest    TEXT NOT NULL DEFAULT '',
    -- The newest capture when it was given: what came later, nobody knew who gave it.
    newest    INTEGER NOT NULL DEFAULT 0,
    -- The first capture of the version that it reaches; 0 for all of them.
    reaches   INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX mark_capture ON mark(capture, id);
CREATE INDEX mark_version ON mark(page, digest, id) WHERE undone_ms IS NULL AND mark <> 'note';
-- Each search counts them, to see whether what it keeps in memory is as it was.
CREATE INDEX mark_undone ON mark(undone_ms) WHERE undone_ms IS NOT NULL;
CREATE TRIGGER mark_comes AFTER INSERT ON mark BEGIN
    UPDATE mark SET newest = (SELECT max(id) FROM capture),
        (page, digest) = (SELECT c.page, c.digest FROM capture c WHERE c.id = NEW.capture) WHERE id = NEW.id;
END;

-- Marks that were given in another workspace, and where they came from. They
-- have numbers below zero, so that the last mark given here is always the last
-- one by number: what a person decided here holds.
CREATE TABLE mark_origin (
    mark       INTEGER PRIMARY KEY REFERENCES mark(id),
    -- Its id as a W3C Web Annotation.
    annotation TEXT NOT NULL UNIQUE,
    origin     TEXT NOT NULL,
    -- As it came, where the mark does not say all of it: tags, another target than one
    -- capture, where it had come from before.
    line       TEXT
);
-- Annotations on captures that are not here, kept as they came.
CREATE TABLE annotation_apart (
    annotation TEXT PRIMARY KEY NOT NULL,
    line       TEXT NOT NULL,
    origin     TEXT NOT NULL,
    -- A person took it in for whatever capture it is about. That of a handover is about
    -- captures of that alone.
    is_for_any INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

-- Pages of a trial that a person marked as relevant or not: no decision about what is kept.
-- Append-only; of what was said of a page the last counts.
CREATE TABLE relevance_mark (
    id      INTEGER PRIMARY KEY,
    launch  INTEGER NOT NULL REFERENCES launch(id),
    capture INTEGER NOT NULL REFERENCES capture(id),
    -- relevant or irrelevant; none takes it back.
    mark    TEXT NOT NULL,
    who     TEXT NOT NULL,
    date_ms INTEGER NOT NULL
);
CREATE INDEX relevance_mark_launch ON relevance_mark(launch, capture, id);
CREATE INDEX relevance_mark_capture ON relevance_mark(capture);

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
    origin     TEXT,
    -- As that of a mark.
    line       TEXT
);
CREATE INDEX judgement_query ON judgement(query);
CREATE INDEX judgement_capture ON judgement(capture);

-- Captures put together across campaigns, by hand or by a filter that is
-- asked again after each crawl and import of a campaign.
CREATE TABLE collection (
    id       INTEGER PRIMARY KEY,
    name     TEXT NOT NULL UNIQUE COLLATE NOCASE,
    about    TEXT NOT NULL,
    -- Empty where captures come by hand alone.
    filter   TEXT NOT NULL,
    -- Whose scores and selection the filter asks for; none where it has no filter.
    campaign INTEGER REFERENCES campaign(id),
    who      TEXT NOT NULL,
    date_ms  INTEGER NOT NULL,
    -- A UUID that it has in every workspace.
    identity TEXT NOT NULL UNIQUE,
    -- What it came with, such as a handover; none where it was made here.
    origin   TEXT
);
CREATE TABLE collected (
    collection INTEGER NOT NULL REFERENCES collection(id),
    capture    INTEGER NOT NULL REFERENCES capture(id),
    -- Taken out by a person: the filter does not bring it back.
    is_out     INTEGER NOT NULL,
    -- Empty where the filter brought it.
    who        TEXT NOT NULL,
    date_ms    INTEGER NOT NULL,
    PRIMARY KEY (collection, capture)
) WITHOUT ROWID;
CREATE INDEX collected_capture ON collected(capture);

-- Names of persons, places and organisations that a person loaded: authority files, as they were when they were loaded.
CREATE TABLE authority (
    id      INTEGER PRIMARY KEY,
    -- The name of the file; one of the same name takes its place.
    name    TEXT NOT NULL UNIQUE,
    -- SHA-256 of the file.
    digest  TEXT NOT NULL,
    who     TEXT NOT NULL,
    date_ms INTEGER NOT NULL
);
CREATE TABLE authority_entity (
    authority INTEGER NOT NULL REFERENCES authority(id),
    place     INTEGER NOT NULL,
    uri       TEXT NOT NULL,
    -- person, place, organisation, event or unknown.
    kind      TEXT NOT NULL,
    name      TEXT NOT NULL,
    -- Other names, as a JSON list.
    aliases   TEXT NOT NULL,
    PRIMARY KEY (authority, place)
) WITHOUT ROWID;
-- Names that a person put together as those of one entity. Append-only; taken back by a date.
CREATE TABLE entity_merge (
    id        INTEGER PRIMARY KEY,
    -- The name, folded, and the name or URI of the entity that it is one of.
    name      TEXT NOT NULL,
    target    TEXT NOT NULL,
    who       TEXT NOT NULL,
    date_ms   INTEGER NOT NULL,
    undone_ms INTEGER
);
