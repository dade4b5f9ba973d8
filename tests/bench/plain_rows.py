#!/usr/bin/env python3
"""Why rows of a plain DOM reader and those of `fonds inlinks map` differ.

    plain_rows.py FONDS FILE.warc.gz... [--show N]

Needs fastwarc and selectolax. The plain reader takes every a and area with an
href, lets Python's urljoin resolve it, drops the fragment, and writes keys by
hand: host turned round without www, all in lower case. Distinct rows (target,
source, anchor) of both sides are compared, and each that only one of them has
is counted under the rule that parts them; what no rule explains is shown.
`dom_oracle.py` is the stricter check: page by page, in order, the same keys.
"""

import argparse
import collections
import re
import subprocess
from urllib.parse import urljoin, urlsplit

from dom_oracle import fold
from fastwarc.warc import ArchiveIterator, WarcRecordType
from selectolax.lexbor import LexborHTMLParser

KEY = "the key: closing slash, order of the query, percent signs (fonds surt writes both alike)"
SELF = "href starts with #: a place in the page itself"
EMPTY = "empty href: the page itself"
AREA = "area: a kind of its own, off by default, with its alternative text"
BLANK = "marks without width count as white space"
SPLIT = "the empty part of a link that its markup splits"
ADDRESS = "browsers read the address otherwise (http://http://…) or not at all (https://, blanks or < in the host)"
UNKNOWN = "not explained"


def plain_key(url):
    parts = urlsplit(url)
    host, _, port = parts.netloc.rpartition("@")[2].lower().partition(":")
    turned = ",".join(reversed(re.sub(r"^www\d*\.", "", host).split(".")))
    port = f":{port}" if port and port not in ("80", "443") else ""
    return f"{turned}{port}){(parts.path or '/').lower()}" + (f"?{parts.query.lower()}" if parts.query else "")


def plain_rows(paths):
    """Row -> (address, page, how it was written), of pages that say text/html."""
    rows = {}
    for path in paths:
        with open(path, "rb") as stream:
            for record in ArchiveIterator(stream, record_types=WarcRecordType.response, parse_http=True):
                if not (record.http_content_type or "").startswith("text/html"):
                    continue
                page = record.headers["WARC-Target-URI"]
                tree = LexborHTMLParser(record.reader.read())
                base = tree.css_first("base[href]")
                base = urljoin(page, base.attributes["href"] or "") if base else page
                for element in tree.css("a[href], area[href]"):
                    href = (element.attributes["href"] or "").strip()
                    how = SELF if href.startswith("#") else EMPTY if not href else AREA if element.tag == "area" else None
                    try:
                        url = urljoin(base, href).partition("#")[0]
                        if url[:4].lower() != "http":
                            continue
                        row = plain_key(url), plain_key(page), " ".join((element.text() or "").split())
                    except ValueError:
                        continue
                    if row not in rows or how is None:
                        rows[row] = url, page, how
    return rows


def our_rows(fonds, paths):
    call = [fonds, "inlinks", "map", "--notation", "cdx", *paths]
    with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as ours:
        fields = (line.rstrip(b"\n").decode().split("\t", 4) for line in ours.stdout)
        return {(row[0], row[2], row[4]) for row in fields if len(row) == 5}


def our_keys(fonds, urls):
    lines = "".join(url.replace("\n", "") + "\n" for url in urls).encode("utf-8", "replace")
    keys = subprocess.run([fonds, "surt", "--form", "cdx"], input=lines, stdout=subprocess.PIPE).stdout
    return dict(zip(urls, keys.decode().split("\n"), strict=False))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fonds")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--show", type=int, default=20)
    args = parser.parse_args()
    theirs, ours = plain_rows(args.files), our_rows(args.fonds, args.files)
    apart = {row: found for row, found in theirs.items() if row not in ours}
    keys = our_keys(args.fonds, sorted({url for found in apart.values() for url in found[:2]}))
    anchors = collections.defaultdict(set)
    targets = collections.defaultdict(set)
    for target, source, anchor in ours:
        anchors[target, source].add(anchor)
        targets[source, anchor].add(target)
    reasons, alike = collections.Counter(), ours & theirs.keys()
    for (target, _, anchor), (url, page, how) in apart.items():
        key = keys[url], keys[page], anchor
        if key in ours:
            reason = KEY
        elif how:
            reason = how
        elif fold(anchor) != anchor and fold(anchor) in anchors[key[:2]]:
            reason, key = BLANK, (*key[:2], fold(anchor))
        elif not anchor and any(anchors[key[:2]]):
            reason = SPLIT
        elif re.search(r"[\s<>\\]|^https?:/*(http|$)", url) or re.match(r"https?:/*$", anchor):
            reason = ADDRESS
            read = (other for other in targets[key[1], anchor] if other.startswith("http)") or "\\" in url)
            key = next(read, key[0]), key[1], anchor
        else:
            reason = UNKNOWN
        alike |= {key} & ours
        reasons[reason] += 1
        if reason == UNKNOWN and reasons[UNKNOWN] <= args.show:
            print(f"{page}: {url} {anchor!r}; of the same target: {sorted(anchors[key[:2]])[:3]}")
    links = len(theirs) - reasons[SELF] - reasons[EMPTY]
    same = len(theirs) - len(apart) + reasons[KEY]
    print(f"{len(theirs)} rows of the plain reader, {len(ours)} of ours, {len(theirs) - len(apart)} the same as they stand")
    for reason, count in reasons.most_common():
        print(f"{count:10}  {reason}")
    for row in sorted(ours - alike)[: args.show]:
        print("only ours:", row)
    print(f"{len(ours - alike):10}  only ours")
    print(f"the same: {same} of {links} links to other pages, {100 * same / max(1, links):.3f} %")


if __name__ == "__main__":
    main()
