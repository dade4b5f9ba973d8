-- A file that was unpacked from a package: the package that it came in.
ALTER TABLE warc_file ADD COLUMN package INTEGER REFERENCES warc_file(id);
CREATE INDEX warc_file_package ON warc_file(package) WHERE package IS NOT NULL;
-- Members of packages lie in a folder that is named for the package's digest.
UPDATE warc_file SET package =
    (SELECT p.id FROM warc_file p WHERE p.sha256 <> '' AND p.id <> warc_file.id
       AND warc_file.path LIKE 'imports/' || substr(p.sha256, 1, 32) || '/archive-%' ORDER BY p.changed, p.id LIMIT 1)
    WHERE path LIKE 'imports/%/archive-%';
-- The file was read again since: a later import has told its problems anew.
ALTER TABLE problem ADD COLUMN read_again INTEGER NOT NULL DEFAULT 0;
-- The first of the files in folders that were passed over, as a list in JSON.
ALTER TABLE import ADD COLUMN passed_paths TEXT NOT NULL DEFAULT '[]';
-- What a file holds besides captures, as an object in JSON: counts by scheme.
ALTER TABLE import_file ADD COLUMN left_out TEXT NOT NULL DEFAULT '{}';
-- Requests and metadata records of no capture that is there.
ALTER TABLE import_file ADD COLUMN orphans INTEGER NOT NULL DEFAULT 0;
