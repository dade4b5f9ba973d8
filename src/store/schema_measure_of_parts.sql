SELECT campaign, capture,
    max(iif(name = 'Request' AND why NOT LIKE 'not counted:%' AND why NOT LIKE 'does not apply:%', value, NULL)) AS request,
    max(name = 'Request' AND why LIKE 'the request holds:%') AS holds,
    max(iif(name = 'External hosts' AND why NOT LIKE 'not counted:%', CAST(why AS INTEGER), NULL)) AS external_hosts,
    max(iif(name = 'Anchors' AND why NOT LIKE 'not counted:%', CAST(why AS INTEGER), NULL)) AS anchor_hosts,
    0 AS unread,
    max(iif(name = 'Request', substr(why, instr(why, ': ') + 2), '')) AS terms
FROM (SELECT s.campaign, s.capture,
        coalesce(json_extract(p.value, '$.name'), json_extract(p.value, '$[0]')) AS name,
        coalesce(json_extract(p.value, '$.value'), json_extract(p.value, '$[1]')) AS value,
        coalesce(json_extract(p.value, '$.why'), json_extract(p.value, '$[3]')) AS why
    FROM main.score s, json_each(s.parts) p)
GROUP BY campaign, capture
