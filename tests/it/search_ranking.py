"""Scores a run, and the run of a plain BM25 over the same texts, without any code of Fonds.

    python3 search_ranking.py TEXTS TOPICS QRELS RUN

TEXTS: number, tabulator, text a line. TOPICS: number, tabulator, words joined by OR. QRELS and RUN: as trec_eval reads
them. Answers MAP and nDCG@10 (gain 1 for what is right) of each, over the topics that have something right.

The plain one: BM25 of Robertson and Zaragoza 2009 with k1 = 1.2 and b = 0.75, no stems, no stop words. Beside it stands
FTS5 of SQLite with its stemmer of English (`porter`), asked for the same.
"""
import collections
import json
import math
import sqlite3
import sys

K1, B, DEPTH = 1.2, 0.75, 1000


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file if line.strip()]


def scores(runs, right):
    precisions, gains = [], []
    for topic, wanted in right.items():
        ranked = runs.get(topic, [])
        hits, total = 0, 0.0
        for rank, document in enumerate(ranked, 1):
            if document in wanted:
                hits += 1
                total += hits / rank
        precisions.append(total / len(wanted))
        gain = sum(1 / math.log2(rank + 1) for rank, document in enumerate(ranked[:10], 1) if document in wanted)
        gains.append(gain / sum(1 / math.log2(rank + 1) for rank in range(1, min(10, len(wanted)) + 1)))
    return {"map": sum(precisions) / len(precisions), "ndcg": sum(gains) / len(gains)}


def by_fts5(texts, asked):
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE page USING fts5(number UNINDEXED, text, tokenize = 'porter unicode61')")
    database.executemany("INSERT INTO page VALUES (?, ?)", (line.split("\t", 1) for line in lines(texts)))
    query = "SELECT number FROM page WHERE page MATCH ? ORDER BY rank, rowid LIMIT ?"
    runs = {}
    for topic, words in asked.items():
        match = " OR ".join(f'"{word}"' for word in words)
        runs[topic] = [number for (number,) in database.execute(query, (match, DEPTH))]
    return runs


def main():
    texts, topics, qrels, run = sys.argv[1:]
    postings, lengths = collections.defaultdict(dict), {}
    for line in lines(texts):
        number, text = line.split("\t", 1)
        words = text.split()
        lengths[number] = len(words)
        for word, count in collections.Counter(words).items():
            postings[word][number] = count
    asked = {}
    for line in lines(topics):
        number, text = line.split("\t", 1)
        asked[number] = text.split(" OR ")
    right = collections.defaultdict(set)
    for line in lines(qrels):
        topic, _, document, grade = line.split()
        if int(grade) > 0 and topic in asked and document in lengths:
            right[topic].add(document)
    runs = collections.defaultdict(list)
    for line in lines(run):
        topic, _, document, _, _, _ = line.split()
        runs[topic].append(document)
    mean = sum(lengths.values()) / len(lengths)
    plain = {}
    for topic, words in asked.items():
        weights = collections.Counter()
        for word in words:
            there = postings.get(word, {})
            rarity = math.log(1 + (len(lengths) - len(there) + 0.5) / (len(there) + 0.5))
            for document, count in there.items():
                weights[document] += rarity * count * (K1 + 1) / (count + K1 * (1 - B + B * lengths[document] / mean))
        plain[topic] = sorted(weights, key=lambda document: (-weights[document], document))[:DEPTH]
    each = {"run": runs, "plain": plain, "fts5": by_fts5(texts, asked)}
    print(json.dumps({"topics": len(right)} | {name: scores(ranked, right) for name, ranked in each.items()}))


if __name__ == "__main__":
    main()
