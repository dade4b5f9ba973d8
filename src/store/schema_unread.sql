-- Captures of pages that were not read as they were meant, and why in a word
-- (Unread::word).
CREATE TABLE unread_page (
    capture INTEGER PRIMARY KEY REFERENCES capture(id),
    why TEXT NOT NULL
);
