-- What the selected captures of the campaigns that were `asked` for need to be
-- shown: images, style sheets and scripts, as captured nearest in time, what
-- those need in turn, and the goals of redirects.
needed (campaign, id) AS (
    SELECT campaign, capture FROM score WHERE selected AND campaign IN asked
    UNION
    SELECT n.campaign,
        (SELECT x.id FROM capture x WHERE x.page = t.page ORDER BY abs(x.date_ms - c.date_ms), x.id LIMIT 1)
    FROM needed n JOIN capture c ON c.id = n.id
    -- A revisit has the links of what it repeats.
    JOIN outlink o ON o.capture = CASE WHEN c.revisit_of_ms IS NULL THEN c.id ELSE
          ifnull((SELECT x.id FROM capture x WHERE x.url = c.url AND x.digest = c.digest
                   AND x.revisit_of_ms IS NULL ORDER BY x.date_ms DESC LIMIT 1), c.id) END
       -- Links that a page cannot be shown without.
       AND o.kind IN ('stylesheet', 'image', 'script', 'media', 'css', 'frame', 'redirect')
    JOIN url t ON t.id = o.target)
SELECT campaign, id AS capture FROM needed WHERE id IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM score s WHERE s.campaign = needed.campaign AND s.capture = needed.id AND s.selected)
