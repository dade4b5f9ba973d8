-- Crawls that another crawler made and whose logs were imported: nobody goes
-- on with them, and they are no run of this program.
ALTER TABLE launch ADD COLUMN is_foreign INTEGER NOT NULL DEFAULT 0;
UPDATE launch SET is_foreign = 1 WHERE kind = 'crawl' AND why LIKE 'imported from %';
