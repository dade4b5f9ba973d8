-- The compressed member that a problem's record shares with others: its offset
-- in the file, and the place in the decompressed file of what it decodes to.
-- NULL where the record has a place of its own, and in what was kept before.
ALTER TABLE problem ADD COLUMN member INTEGER;
ALTER TABLE problem ADD COLUMN member_decoded INTEGER;
