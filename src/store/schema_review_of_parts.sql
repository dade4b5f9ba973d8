ifnull((SELECT CASE coalesce(json_extract(p.value, '$.why'), json_extract(p.value, '$[3]'))
        WHEN 'approved' THEN 'approve' WHEN 'rejected' THEN 'reject' WHEN 'flagged, not decided' THEN 'flag' ELSE '' END
    FROM json_each(score.parts) p
    WHERE coalesce(json_extract(p.value, '$.name'), json_extract(p.value, '$[0]')) = 'Review'), '')
