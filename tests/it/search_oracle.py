"""Which documents meet queries, by the definitions alone and without any code of Fonds.

    python3 search_oracle.py DOCUMENTS QUERIES

DOCUMENTS: a JSON object a line. `version` is its number; `title`, `main`, `rest`, `url` are texts, `anchors` a list
of texts; `date` is an ISO date or a list of them; `host` and all other fields are texts, numbers or lists of them.
QUERIES: a query tree a line, as Fonds writes it as JSON. Answers a JSON list of versions a line, in their order.

Words are not stemmed: `word` is found where that word is. Columns and boosts do not matter.
"""
import calendar
import datetime
import functools
import itertools
import json
import re
import sys
import unicodedata
import urllib.parse

SPELLED = {
    "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "ƚ": "l", "đ": "d", "ð": "d", "ɖ": "d", "ɗ": "d", "þ": "th",
    "ħ": "h", "ı": "i", "ɨ": "i", "ŋ": "n", "ɲ": "n", "ŧ": "t", "ƀ": "b", "ɓ": "b", "ƙ": "k", "ƴ": "y", "ς": "σ",
    "װ": "וו", "ױ": "וי", "ײ": "יי", "ँ": "ं",
    **dict.fromkeys("\u02b9\u02ba\u02bb\u02bc\u02bd\u02be\u02bf\u02c8\u02ee\u07f4\u07f5\ua78b\ua78c", "'"),
    **dict.fromkeys("\u0671\u0672\u0673", "\u0627"),
    **dict.fromkeys("\u0649\u06cc\u06d2", "\u064a"),
    "\u06a9": "\u0643",
    **dict.fromkeys("\u0629\u06be\u06c1\u06c3\u06d5", "\u0647"),
}
FILLERS = {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x3164, 0xFFA0, *range(0xE0100, 0xE01F0)}
INVISIBLE = {*FILLERS, *range(0xFE00, 0xFE10)}
POINTS = {0x0640, 0x0674, 0x06E5, 0x06E6, 0x093C}


def is_accent(c):
    """Marks that people leave out: Latin, Greek and Cyrillic accents, Hebrew points, Arabic vowels."""
    if ord(c) in POINTS:
        return True
    if unicodedata.category(c) not in ("Mn", "Me"):
        return False
    return unicodedata.name(c, "").startswith(("COMBINING ", "HEBREW ", "ARABIC ", "SYRIAC "))


@functools.cache
def fold_letters(text):
    """Lower case, no accents, compatibility forms resolved; all other characters stay."""
    out = []
    for c in text:
        if ord(c) in INVISIBLE or unicodedata.category(c) == "Cf":
            continue
        apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", c.lower()).lower())
        parts = (part for part in apart if not is_accent(part) and ord(part) not in INVISIBLE)
        out.extend(str(unicodedata.digit(part)) if unicodedata.category(part) == "Nd" else SPELLED.get(part, part) for part in parts)
    # Korean syllables and voiced kana are one character each.
    return re.sub("[\u1100-\u11ff]+|[\u3041-\u30ff][\u3099\u309a]", lambda found: unicodedata.normalize("NFC", found[0]), "".join(out))


def is_letter(c):
    return unicodedata.category(c)[0] in "LMN"


def is_unspaced(c):
    """Scripts that glue words: Thai, Lao, Myanmar, Khmer, Kana, Han, Hangul."""
    name = unicodedata.name(c, "")
    scripts = ("THAI ", "LAO ", "MYANMAR ", "KHMER ", "HIRAGANA ", "KATAKANA", "COMBINING KATAKANA", "CJK ", "HANGUL ", "IDEOGRAPHIC ITERATION")
    return name.startswith(scripts)


@functools.cache
def words(text):
    """Words; of a script that glues them each letter with the one behind it."""
    found = []
    for run in "".join(c if is_letter(c) else " " for c in fold_letters(text)).split():
        for glued, letters in itertools.groupby(run, is_unspaced):
            letters = "".join(letters)
            found.extend((letters[at : at + 2] for at in range(len(letters))) if glued else [letters])
    return found


def is_met(wanted, is_last, word):
    """Whether a word is the wanted one. Any letter may be behind the last wanted one, where words are glued."""
    return word == wanted or is_last and len(wanted) == 1 and is_unspaced(wanted) and word.startswith(wanted)


@functools.cache
def url_text(url):
    text = urllib.parse.unquote(url, errors="replace")
    text = text.split("://", 1)[1] if "://" in text else text
    return text[4:] if text[:4].lower() == "www." else text


@functools.cache
def glob(pattern):
    parts = re.split(r"([*?])", pattern)
    return re.compile("".join({"*": ".*", "?": "."}.get(part) or re.escape(part) for part in parts), re.S)


def edits(word):
    """Every pattern of a word with one edit, `.` being any letter."""
    yield re.escape(word)
    for at in range(len(word) + 1):
        before, after = word[:at], word[at:]
        yield re.escape(before) + "." + re.escape(after)
        if after:
            yield re.escape(before) + re.escape(after[1:])
            yield re.escape(before) + "." + re.escape(after[1:])
        if len(after) > 1:
            yield re.escape(before + after[1] + after[0] + after[2:])


def phrase_spans(wanted, slop, text, is_begin=False):
    """Where words follow one another; the last one may go on where `is_begin`."""
    if not wanted:
        return set()
    last = len(wanted) - 1
    places = [
        [
            at
            for at, word in enumerate(text)
            if is_met(one, nth == last, word) or is_begin and nth == last and word.startswith(one)
        ]
        for nth, one in enumerate(wanted)
    ]
    found = set()
    for chosen in itertools.product(*places):
        begins = [at - nth for nth, at in enumerate(chosen)]
        if len(set(chosen)) == len(chosen) and max(begins) - min(begins) <= slop:
            found.add((min(chosen), max(chosen)))
    return found


def spans(test, text):
    """Where a test is met in a list of words: first and last place."""
    if test == "any":
        return {(at, at) for at in range(len(text))}
    (kind, value), = test.items()
    if kind in ("word", "exact"):
        return phrase_spans(words(value), 0, text)
    if kind == "url":
        return phrase_spans(words(url_text(value)), 0, text)
    if kind == "phrase":
        return phrase_spans(words(value["text"]), value["slop"], text)
    if kind == "pattern" and any(is_unspaced(c) for c in value):
        # A `*` at the end, where words are glued.
        return phrase_spans(words(value.rstrip("*")), 0, text, value.endswith("*"))
    if kind == "pattern":
        pieces = re.split(r"([*?])", value)
        pattern = glob("".join(piece if piece in "*?" else "".join(fold_letters(piece)) for piece in pieces))
        return {(at, at) for at, word in enumerate(text) if pattern.fullmatch(word)}
    if kind == "fuzzy":
        if len(words(value)) != 1:
            return phrase_spans(words(value), 0, text)
        pattern = re.compile("|".join(edits(words(value)[0])), re.S)
        return {(at, at) for at, word in enumerate(text) if pattern.fullmatch(word)}
    if kind == "near":
        found = set()
        for one, other in itertools.product(spans(value["left"], text), spans(value["right"], text)):
            first, last = sorted((one, other))
            if last[0] > first[1] and last[0] - first[1] - 1 <= value["within"]:
                found |= {one, other}
        return found
    raise ValueError(f"unknown test {kind}")


def texts(document, field):
    value = document.get(field)
    values = value if isinstance(value, list) else [value]
    return [one for one in values if one not in (None, "")]


def has_words(document, field, test):
    text = "\n".join(texts(document, field))
    return bool(spans(test, words(url_text(text) if field == "url" else text)))


def plain_part(test):
    """The text of a test that is met by any part of a title or URL."""
    if test == "any":
        return None
    (kind, value), = test.items()
    if kind in ("word", "url"):
        return value
    return value["text"] if kind == "phrase" and value["slop"] == 0 else None


def spellings(document, field):
    found = texts(document, field)
    if field == "url":
        try:
            found = found + [urllib.parse.unquote(url, errors="strict") for url in found]
        except UnicodeDecodeError:
            pass
    return [fold_letters(text) for text in found]


def number(text):
    if re.fullmatch("[1-9]xx", text):
        return int(text[0]) * 100, int(text[0]) * 100 + 99
    times = {"k": 10**3, "m": 10**6, "g": 10**9}.get(text[-1].lower())
    value = float(text[:-1]) * times if times else float(text)
    return value, value


def period(text):
    """First and last second of a partial date."""
    parts = [int(part) for part in text.split("-")]
    year, month, day = (parts + [None, None])[:3]
    last_month = month or 12
    last_day = day or calendar.monthrange(year, last_month)[1]
    return (
        datetime.datetime(year, month or 1, day or 1),
        datetime.datetime(year, last_month, last_day, 23, 59, 59),
    )


def compares(sign, value, bounds):
    first, last = bounds
    return {
        "has": first <= value <= last,
        "is": first <= value <= last,
        "less": value < first,
        "atmost": value <= last,
        "greater": value > last,
        "atleast": value >= first,
    }[sign]


def in_order(field, value, read):
    if ".." not in field["value"]:
        return compares(field["sign"], value, read(field["value"]))
    low, high = field["value"].split("..", 1)
    return (not low or value >= read(low)[0]) and (not high or value <= read(high)[1])


def meets(term, document):
    field, test = term["field"], term["test"]
    if field is None:
        every = ("title", "main", "rest", "anchors", "url")
        return test == "any" or any(has_words(document, name, test) for name in every)
    name, sign, value = field["name"], field["sign"], field["value"]
    if name == "text":
        return any(has_words(document, part, test) for part in ("title", "main", "rest"))
    if test == "any":
        return bool(texts(document, name))
    if name in ("main", "rest", "anchors"):
        return has_words(document, name, test)
    if name in ("title", "url", "anchor"):
        if sign == "is":
            return fold_letters(value) in spellings(document, name)
        part = plain_part(test)
        if part is None:
            return has_words(document, name, test)
        return any(fold_letters(part) in text for text in spellings(document, name))
    if name == "host":
        wanted, hosts = value.lower(), texts(document, "host")
        if isinstance(test, dict) and "pattern" in test:
            return any(glob(wanted).fullmatch(host) for host in hosts)
        return any(host == wanted or (sign == "has" and host.endswith("." + wanted)) for host in hosts)
    if name in ("date", "published"):
        dates = [datetime.datetime.strptime(date, "%Y-%m-%dT%H:%M:%SZ") for date in texts(document, name)]
        return any(in_order(field, date, period) for date in dates)
    for one in texts(document, name):
        if isinstance(one, str):
            if one.lower() == value.lower() or (sign == "has" and value.lower() in one.lower()):
                return True
        elif in_order(field, one, number):
            return True
    return False


def holds(query, document):
    (kind, value), = query.items()
    if kind == "and":
        return all(holds(part, document) for part in value)
    if kind == "or":
        return any(holds(part, document) for part in value)
    if kind == "not":
        return not holds(value, document)
    return meets(value, document)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        documents = [json.loads(line) for line in file]
    with open(sys.argv[2], encoding="utf-8") as file:
        for line in file:
            query = json.loads(line)
            print(json.dumps([document["version"] for document in documents if holds(query, document)]))


if __name__ == "__main__":
    main()
