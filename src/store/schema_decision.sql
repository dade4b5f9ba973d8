-- Version 13: approve and reject decide, above score and filter; what was
-- forced in or out is approved or rejected. The word given last counts, but
-- what was forced out stays out whatever was said of it after.
INSERT INTO mark (act, capture, mark, note, who, date_ms)
SELECT (SELECT ifnull(max(act), 0) + 1 FROM mark), f.capture, 'reject', 'forced out before decisions were one', f.who, f.date_ms
FROM mark f
WHERE f.mark = 'forceout' AND f.undone_ms IS NULL
    AND f.id = (SELECT max(x.id) FROM mark x
        WHERE x.capture = f.capture AND x.undone_ms IS NULL AND x.mark IN ('forcein', 'forceout'))
    AND EXISTS (SELECT 1 FROM mark y WHERE y.capture = f.capture AND y.undone_ms IS NULL AND y.id > f.id
        AND y.mark IN ('approve', 'flag'));
UPDATE mark SET mark = CASE mark WHEN 'forcein' THEN 'approve' ELSE 'reject' END WHERE mark IN ('forcein', 'forceout');

-- selected says from here on what score or filter select; decisions stand in mark.
UPDATE score SET selected = (selected <> by_hand);
ALTER TABLE score DROP COLUMN by_hand;
