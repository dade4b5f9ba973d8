-- What a link says of itself, and where it stands in its page; NULL where
-- there is nothing, or an earlier version did not look.
ALTER TABLE outlink ADD COLUMN rel TEXT;
ALTER TABLE outlink ADD COLUMN place TEXT;
