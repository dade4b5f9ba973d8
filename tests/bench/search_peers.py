#!/usr/bin/env python3
"""Indexes texts by SQLite FTS5 and by PyPI's tantivy, for the bench `search`.

    search_peers.py TEXTS.tsv FOLDER

A line of TEXTS is a number, a title and a text. Both keep title and text, with
positions, and fold case and accents; neither stems, where the index of a
workspace has the stems of both as well. Each takes one thread, as it does.
Prints documents a second of the processor, and bytes of the index beside
those of the texts.
"""

import os
import resource
import sqlite3
import sys


def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def rows(path):
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            number, title, text = line.rstrip("\n").split("\t")
            yield int(number), title, text


def tell(name, count, seconds, size, texts):
    print(f"{name:<46} {count / max(seconds, 0.005):>9.0f} texts/cpu s {size / texts:>6.2f} of the text", flush=True)


def fts5(path, folder):
    place = os.path.join(folder, "fts5.sqlite")
    db = sqlite3.connect(place)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("CREATE VIRTUAL TABLE texts USING fts5(title, text, tokenize = 'unicode61 remove_diacritics 2')")
    count = 0
    for number, title, text in rows(path):
        db.execute("INSERT INTO texts (rowid, title, text) VALUES (?, ?, ?)", (number, title, text))
        count += 1
        if count % 5000 == 0:
            db.commit()
    db.commit()
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    return count, os.path.getsize(place)


def tantivy_py(path, folder):
    import tantivy

    place = os.path.join(folder, "tantivy-py")
    os.mkdir(place)
    builder = tantivy.SchemaBuilder()
    builder.add_integer_field("number", stored=True, indexed=True, fast=True)
    builder.add_text_field("title", stored=True)
    builder.add_text_field("text", stored=True)
    index = tantivy.Index(builder.build(), path=place)
    writer = index.writer(90 << 20, 1)
    count = 0
    for number, title, text in rows(path):
        writer.add_document(tantivy.Document(number=number, title=[title], text=[text]))
        count += 1
    writer.commit()
    writer.wait_merging_threads()
    return count, sum(entry.stat().st_size for entry in os.scandir(place))


def main():
    path, folder = sys.argv[1:]
    texts = sum(len(title.encode()) + len(text.encode()) for _, title, text in rows(path))
    for name, index in [("SQLite FTS5", fts5), ("PyPI tantivy", tantivy_py)]:
        begun = cpu()
        count, size = index(path, folder)
        tell(name, count, cpu() - begun, size, texts)


main()
