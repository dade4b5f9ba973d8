#!/usr/bin/env python3
"""Hold the links that Fonds reads against those in a DOM (selectolax, Lexbor).

    dom_oracle.py FONDS FILE.warc.gz... [--every N] [--show N]

Needs fastwarc and selectolax. For each N-th page: the a and area elements with
an href, in order, resolved as Python's urljoin does, without those to the page
itself (#…), with the text of the element; against the rows of
`fonds inlinks map --kinds a,area`. Both sides get their keys and their white
space from the same rules, so that what differs is what was read. Prints pages,
equal pages, and examples of the others.
"""

import argparse
import re
import subprocess
import tempfile
from urllib.parse import urljoin, urlsplit

from fastwarc.warc import ArchiveIterator, WarcRecordType
from selectolax.lexbor import LexborHTMLParser

# What folds to one blank: Unicode's white space, and marks without width.
BLANK = re.compile("[\t\n\v\f\r \x85\xa0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u3000\u180e\ufeff]+")


def fold(text):
    return BLANK.sub(" ", (text or "").replace("\0", "")).strip(" ")


def dom_links(url, body):
    """(absolute URL, anchor) of every link that is one by its words."""
    tree = LexborHTMLParser(body)
    base = tree.css_first("base[href]")
    base = urljoin(url, (base.attributes["href"] or "").strip()) if base else url
    for element in tree.css("a[href], area[href]"):
        href = (element.attributes["href"] or "").strip("".join(map(chr, range(33))))
        if not href or href.startswith("#"):
            continue
        href = re.sub("[\t\n\r]", "", href)
        try:
            target = urljoin(base, href).partition("#")[0]
            if urlsplit(target).scheme in ("http", "https") and urlsplit(target).netloc:
                # The words of an area are its alternative text.
                words = element.attributes.get("alt") if element.tag == "area" else element.text()
                yield target, fold(words)
        except ValueError:
            continue


def without_split_parts(links):
    """Without links that have no text and stand beside the same with text."""
    kept = []
    for at, (target, anchor) in enumerate(links):
        beside = links[max(0, at - 8) : at] + links[at + 1 : at + 9]
        if anchor or all(other != target or not text for other, text in beside):
            kept.append((target, anchor))
    return kept


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fonds")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--show", type=int, default=20)
    args = parser.parse_args()
    pages, urls = [], []
    with tempfile.NamedTemporaryFile(suffix=".warc") as sample:
        number = 0
        for path in args.files:
            with open(path, "rb") as stream:
                for record in ArchiveIterator(stream, record_types=WarcRecordType.response, parse_http=False):
                    head_and_body = record.reader.read()
                    head = head_and_body.partition(b"\r\n\r\n")[0].lower()
                    kind = re.search(rb"\ncontent-type:\s*(text/html|application/xhtml\+xml)\s*(;|\r|$)", head)
                    if not kind or not re.match(rb"http/1\.[01] 2", head) or b"\ncontent-encoding:" in head or b"chunked" in head:
                        continue
                    number += 1
                    if number % args.every:
                        continue
                    body = head_and_body.partition(b"\r\n\r\n")[2]
                    url, date = record.headers["WARC-Target-URI"], record.headers["WARC-Date"]
                    sample.write(
                        b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\nWARC-Date: %s\r\nWARC-Record-ID: <urn:x:%d>\r\n"
                        b"Content-Type: application/http\r\nContent-Length: %d\r\n\r\n"
                        % (url.encode(), date.encode(), number, len(head_and_body))
                        + head_and_body
                        + b"\r\n\r\n"
                    )
                    links = list(dom_links(url, body))
                    pages.append((url, links))
                    urls.extend(target for target, _ in links)
        sample.flush()
        call = [args.fonds, "inlinks", "map", "--notation", "cdx", "--kinds", "a,area", "--threads", "1", sample.name]
        ours = subprocess.run(call, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode().split("\n")[:-1]
    call = [args.fonds, "surt", "--form", "cdx"]
    lines = "".join(url.replace("\n", "") + "\n" for url in urls)
    keys = subprocess.run(call, input=lines.encode("utf-8", "replace"), stdout=subprocess.PIPE).stdout.decode().split("\n")[:-1]
    assert len(keys) == len(urls), (len(keys), len(urls))
    read = []
    for row in ours:
        fields = row.split("\t", 4)
        if len(fields) == 2:
            read.append([])
        else:
            read[-1].append((fields[0], fields[4]))
    assert len(read) == len(pages), (len(read), len(pages))
    key = iter(keys)
    equal = split = rows = shown = 0
    for (url, links), got in zip(pages, read):
        expected = [(next(key), anchor) for _, anchor in links]
        rows += len(expected)
        if expected == got:
            equal += 1
        elif without_split_parts(expected) == without_split_parts(got):
            split += 1
        elif shown < args.show:
            shown += 1
            at = next((at for at, pair in enumerate(zip(expected, got)) if pair[0] != pair[1]), min(len(expected), len(got)))
            print(f"{url}: {len(expected)} in the DOM, {len(got)} read; first difference at {at}")
            print(f"  DOM  {links[at][0] if at < len(links) else None} {expected[at] if at < len(expected) else None}")
            print(f"  read {got[at] if at < len(got) else None}")
    percent = 100 * (equal + split) / max(1, len(pages))
    print(f"{len(pages)} pages, {rows} links; {equal} pages equal, {split} but for empty parts of split links: {percent:.2f} %")


if __name__ == "__main__":
    main()
