#!/usr/bin/env python3
"""Reads the text of pages by resiliparse and by trafilatura, for the bench `text`.

    text_peers.py PAGES

PAGES has, for each page, a line with the number of its bytes and its URL, and
the bytes. What this Python does not have is named and left out. Each takes one
thread, as it does; prints pages and megabytes a second of the processor, with
the title and, where the peer tells it, the day and the language.
"""

import sys
import time


def pages(path):
    with open(path, "rb") as file:
        while line := file.readline():
            size, url = line.split(b" ", 1)
            yield url.decode().strip(), file.read(int(size))


def resiliparse():
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding
    from resiliparse.parse.html import HTMLTree
    from resiliparse.parse.lang import detect_fast

    def read(_, html):
        tree = HTMLTree.parse(bytes_to_str(html, detect_encoding(html)))
        text = extract_plain_text(tree, main_content=True)
        return tree.title, text, detect_fast(text)

    return "resiliparse: text, title, language", read


def trafilatura():
    from trafilatura import bare_extraction

    def read(url, html):
        return bare_extraction(html, url=url, with_metadata=True)

    return "trafilatura: text, title, day", read


def main():
    for peer in (resiliparse, trafilatura):
        try:
            name, read = peer()
        except ImportError as error:
            print(f"{peer.__name__} is not there: {error}")
            continue
        count = size = 0
        spent = 0.0
        for url, html in pages(sys.argv[1]):
            begun = time.process_time()
            read(url, html)
            spent += time.process_time() - begun
            count += 1
            size += len(html)
        spent = max(spent, 1e-6)
        print(f"{name:<46} {count / spent:>12.0f} {size / 1e6 / spent:>10.1f} {spent * 1e3:>10.0f}", flush=True)


main()
