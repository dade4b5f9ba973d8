-- The rule that a file of others names for a capture of it. No rule of this
-- workspace let that capture in.
CREATE TABLE file_rule (
    capture INTEGER PRIMARY KEY REFERENCES capture(id),
    rule    TEXT NOT NULL
);
INSERT INTO file_rule SELECT c.id, c.rule_name FROM capture c JOIN launch l ON l.id = c.launch
    WHERE l.kind = 'import' AND c.rule_name <> '';
UPDATE capture SET rule_index = NULL, rule_name = '' WHERE id IN (SELECT capture FROM file_rule);
