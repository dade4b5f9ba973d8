-- What a revisit repeats is one look into an index, however many captures a
-- page has.
DROP INDEX capture_url;
CREATE INDEX capture_url ON capture(url, digest, revisit_of_ms, date_ms);
CREATE INDEX capture_payload ON capture(page, digest, revisit_of_ms, date_ms);
CREATE INDEX capture_revisit ON capture(page, revisit_of_ms) WHERE revisit_of_ms IS NOT NULL;
CREATE INDEX repeat_url ON repeat(url);
-- Links of revisits are read some time after them: the number of that reading,
-- up to the setting 'repeats_read'.
ALTER TABLE repeat ADD COLUMN reading INTEGER;
CREATE INDEX repeat_reading ON repeat(reading) WHERE reading IS NOT NULL;
-- Pages that were cut at their capture, for which earlier versions kept no row.
INSERT OR IGNORE INTO unread_page SELECT id,
    CASE WHEN lower(trim(truncated)) IN ('length', 'time', 'disconnect') THEN 'cut-' || lower(trim(truncated))
         ELSE 'cut-capture' END
  FROM capture WHERE truncated <> '' AND revisit_of_ms IS NULL
   AND status BETWEEN 200 AND 299 AND mime IN ('text/html', 'application/xhtml+xml');
