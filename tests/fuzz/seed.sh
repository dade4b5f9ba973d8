#!/usr/bin/env bash
# Fills corpus/ from the folder of test data that FONDS_TEST_DATA names. The
# files stay theirs: corpus/ is never committed.
set -euo pipefail
data=$(cd "${FONDS_TEST_DATA:?the folder of test data}" && pwd)
cd "$(dirname "$0")"

# Copies files of up to so many bytes into the corpus of a target; of larger
# ones their first so many bytes.
seed() {
  local target=$1 most=$2 file name
  shift 2
  mkdir -p "corpus/$target"
  find "$@" -type f 2>/dev/null | while read -r file; do
    name=$(printf '%s' "$file" | sha1sum | cut -c1-12)-$(basename "$file")
    head -c "$most" "$file" >"corpus/$target/$name"
  done
  printf '%-14s %s files\n' "$target" "$(find "corpus/$target" -type f | wc -l)"
}

# Each line of the files as an input.
seed_lines() {
  local target=$1
  shift
  mkdir -p "corpus/$target"
  awk 'NR <= 2000' "$@" | split -l 20 -a 3 - "corpus/$target/lines-"
}

warc=("$data"/warc/small "$data"/warc/real "$data"/warc/malformed "$data"/warc/encodings "$data"/warc/revisit
  "$data"/warc/links "$data"/warc/arquivo-gpl3)
seed warc 65536 "${warc[@]}"
seed arc 65536 "$data"/warc/arc
find "$data/warc/malformed" -name '*.arc*' -exec cp {} corpus/arc/ \;

# Recipes of the target gzip: a first step in every direction.
mkdir -p corpus/gzip
for zstd in 00 03; do
  for kind in 00 01 02 03 04 05; do
    for how in 00 01 02 03 04 05; do
      record="\\x$kind\\x05\\xdc\\x00"
      printf "\\x$zstd\\x03$record$record$record$record\\x02\\x60\\x00\\x$how\\x33\\x90\\x00\\x$how\\x11" \
        >"corpus/gzip/recipe-$zstd-$kind-$how"
    done
  done
done

# HTTP messages are the blocks of plain records, after a byte that chooses.
mkdir -p corpus/http
find "$data/warc/small" "$data/warc/malformed" -name '*.warc' | while read -r file; do
  awk -v RS='HTTP/1' -v out="corpus/http/$(basename "$file")" 'NR > 1 && NR < 30 { printf "@HTTP/1%s", substr($0, 1, 16000) > (out "-" NR) }' "$file"
done
for file in "$data"/warc/encodings/*.gz "$data"/warc/arquivo-gpl3/*.gz; do
  gzip -dc "$file" 2>/dev/null | awk -v RS='HTTP/1' -v out="corpus/http/$(basename "$file")" 'NR > 1 && NR < 30 { printf "@HTTP/1%s", $0 > (out "-" NR) }'
  { printf '\x05'; cat "$file"; } >"corpus/http/body-$(basename "$file")"
done

mkdir -p corpus/cdx
cat >corpus/cdx/lines <<'LINES'
com,example)/ 20240301090000 {"url": "http://example.com/", "mime": "text/html", "status": "200", "digest": "sha1:ABC", "length": "9", "offset": "7", "filename": "a.warc.gz"}
pt,a)/?b=\u00e9 20240301090000 {"url":"http://a.pt/?b=é","offset":3,"length":4,"filename":"x","extra":[1,{"a":null}]}
com,example)/ 20130729195151 http://example.com/ warc/revisit - B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A - - 591 355 example.warc.gz
LINES
printf ' CDX N b a m s k r M S V g\npt,a)/x 20240301090000 http://www.a.pt/x text/html 200 EXJD7I7FVZY3SDKLFHVZPYYTQ6F3LXRN - - 83 17 a.warc.gz\n' >corpus/cdx/eleven
printf '\tCDX\tg\tV\tb\ta\tr\tM\tx\na.warc.gz\t17\t20240301090000\thttp://a.pt/x y\thttp://a.pt/\tAFI\tmore\n' >corpus/cdx/tabs
gzip -nc corpus/cdx/lines >corpus/cdx/packed
[ ! -d "$data/cdx" ] || seed cdx 20000 "$data"/cdx

seed html 40000 "$data"/html "$data"/sites
seed robots 20000 "$data"/robots
find "$data/sites" -name 'robots*.txt' -exec cp {} corpus/robots/ \;
printf 'User-agent: fonds\nDisallow: /a*b$\nAllow: /%%c3%%a9\nCrawl-delay: 1.5\nSitemap: http://a.pt/s.xml\n' >corpus/robots/example
seed_lines keys "$data"/surt/* "$data"/url/* "$data"/heritrix/ukwa-domain-surts.txt
seed scope_log 20000 "$data"/logs/h3-crawl-scopeDecision.log "$data"/logs/scope-seed001.log
seed crawl_log 20000 "$data"/logs
seed campaign_json 20000 "$data"/feeds
seed feed 20000 "$data"/feeds
seed wacz 65536 "$data"/wacz
seed mmdb 65536 "$data"/mmdb
seed dataset 20000 "$data"/inlinks
mkdir -p corpus/wat corpus/pdf
printf '{"Envelope":{"WARC-Header-Metadata":{"WARC-Type":"response","WARC-Target-URI":"http://a.pt/","WARC-Date":"2014-08-02T09:52:13Z"},"Payload-Metadata":{"HTTP-Response-Metadata":{"Response-Message":{"Status":"200"},"Headers":{"Content-Type":"text/html"},"HTML-Metadata":{"Head":{"Base":"/b/","Metas":[{"name":"robots","content":"nofollow"}]},"Links":[{"path":"A@/href","url":"c#d","text":"e  f","rel":"x"}]}}}}}' >corpus/wat/page
printf '%%PDF-1.4\n1 0 obj <</A <</S /URI /URI (http://b.pt/\\(x\\)\\101)>>>> /URI <FEFF0068> endobj' >corpus/pdf/open
cat >corpus/pdf/text <<'PDF'
1 0 obj<</Type/Page/Contents[2 0 R 2 0 R]/Parent 5 0 R>> 2 0 obj<<>>stream
BT/F 9 Tf[<00680002>-9(http://c.pt/)]TJ<0003>'1 0 0 1 7 6 Tm(www.d.pt)Tj/G 1 Tf(www.e.pt)"T*ET endstream
3 0 obj<</Subtype/Type0/ToUnicode 4 0 R>> 4 0 obj<<>>stream
1 beginbfrange<0000><ffff><0041><03><04>[<0068><00740074>]endbfrange 1 beginbfchar<0002><002F>endbfchar endstream
5 0 obj<</Resources<</Font<</F 3 0 R/G<</Subtype/Type1>>>>>>>> 6 0 obj<</Subtype/Form/Filter/A85>>stream
-tm^EE&oX*@P2VA06eog<,)~>endstream 7 0 obj<</Type/ObjStm/N 2/First 9>>stream
1 0 8 9 <</Type/Page/Contents 6 0 R>> 5 endstream
PDF
seed pdf 65536 "$data"/sites/heritrix-selftest/SimpleDocumentTypes/binaries "$data"/sites/crawl-test-site/resources/documents
seed load_lines 20000 "$data"/inlinks
printf 'pt,fct)/\t20240301090000\npt,fct)/\t20240301100000\tpt,fccn)/\texternal\tFCT\n' >corpus/load_lines/rows
# One row: control, target, time of a link, source, anchor, tail.
mkdir -p corpus/segment
printf '\x01\x00\x05(pt,a\x00\x00\x00\x00\x00\x00\x00\xc0\x05(pt,b\x01x\x0e\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >corpus/segment/row
mkdir -p corpus/request corpus/campaign_json
cat >corpus/request/example <<'TEXT'
ria AND ("estaleiro naval" OR person:"Amélia Vaz"|"A. Vaz"^0.8) AND NOT keyword:futebol lang:pt event:"Festival da Ria 2024"[2024-07-01..2024-07-07] period:[2024..] -x<https://a.pt/\>> ALL(a, ANY())
TEXT
seed job_config 65536 "$data"/heritrix "$data"/logs/h1-job5
seed browsertrix 2000 "$data"/heritrix
seed_lines decisions "$data"/logs/*.jsonl
# Any bytes will do: they choose the rows of a catalogue and what they become.
mkdir -p corpus/catalogue
for number in $(seq 64); do printf 'rows %s' "$number" >"corpus/catalogue/$number"; done
# Requests, header fields and references of the replay reference.
mkdir -p corpus/replay
[ ! -f "$data/replay/vectors.json" ] || python3 - "$data/replay/vectors.json" corpus/replay <<'VECTORS'
import json, sys
for number, vector in enumerate(json.load(open(sys.argv[1]))):
    text = vector["input"].removeprefix("/w/").replace(": ", "\n", 1)
    open(f"{sys.argv[2]}/{number}", "w").write(text)
VECTORS
