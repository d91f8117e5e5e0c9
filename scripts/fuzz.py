"""Tries random texts, dictionaries and damaged arrays on the C extension, and compares it with the code in Python.

    .venv/bin/python scripts/fuzz.py [SECONDS] [--seed N] [--case N]

Each case depends only on the seed and its number. For a case that fails or kills the process, the result and the
command that repeats it are printed. Made for the sanitizers (scripts/sanitize), useful without them. Kinds of cases:
  words     hard texts, Janome's dictionary, user dictionaries: the native engine gives the tokens of the engine in
            Python, and now and then those of Janome itself are compared too
  tiny      like words, with made-up dictionaries of few characters, ids and costs, which are full of ties
  counts    every tokenizer, n-grams, stop words, more terms, one thread or several: Counter counts what Python counts
  damage    arrays that are not a dictionary: ValueError, or tokens that make up the text
"""

import argparse
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from functools import cache
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from textnb import _native
from textnb.counts import Vocabulary
from textnb.counts.packed_vocabulary import PackedVocabulary, pack_terms
from textnb.text import Token, UserDictionary, tokenizer
from textnb.text.janome import janome_version
from textnb.text.janome.compiled import load_dictionary
from textnb.text.janome.dictionary import Categories, Dictionary, Features, Lexicon, pack_entries
from textnb.text.janome.engines import NativeEngine
from textnb.text.janome.lattice import PythonEngine, words_by_prefix
from textnb.text.janome.user_dictionary import Entry
from textnb.text.token import without_surrogates

SYMBOLS = "あ亜アーaＡ1一。、.!？\n \t　々〇ｶﾞﾟ・…😀𠮷\x00\x1c\x85\u2028\u3099\u0301\u200d\ufe0f\ufeff\ufffd\U0010ffff"
CUTS = ["\n\n", "\r\n\r\n", "\r\n", "\n", "\r", "。", "、", ",", ".", "？", "?", "！", "!", "。\n\n", " "]
SCRIPTS = [(0x3040, 0x30FF), (0x4E00, 0x9FFF), (0xFF61, 0xFF9F), (0x20, 0x7E), (0x300, 0x36F), (0x1F300, 0x1FAFF)]
SCRIPTS += [(0, 0x10FFFF), (0xD800, 0xDFFF), (0x20000, 0x2A6DF), (0x600, 0x6FF), (0xAC00, 0xD7A3), (0x2000, 0x206F)]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("seconds", nargs="?", type=float, default=60)
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--case", type=int, help="run this case alone")
    given = arguments.parse_args()
    if given.case is not None:
        run(given.seed, given.case)
        return
    at_work = get_context("spawn").Value("q", -1)
    worker = get_context("spawn").Process(target=work, args=(given.seed, given.seconds, at_work))
    worker.start()
    worker.join()
    if worker.exitcode not in (0, 1) or at_work.value >= 0:
        print(f"died (exit code {worker.exitcode}): {again(given.seed, at_work.value)}")
    sys.exit(worker.exitcode != 0)


def work(seed: int, seconds: float, at_work: Any) -> None:
    """Run cases until the time is up."""
    words()  # compiled and loaded before the clock starts
    end, case, ran, failed = time.monotonic() + seconds, 0, Counter(), 0
    while time.monotonic() < end:
        at_work.value = case
        try:
            ran[run(seed, case)] += 1
        except Exception:
            failed += 1
            print(f"{traceback.format_exc()}{again(seed, case)}\n", flush=True)
        case += 1
    at_work.value = -1
    print(f"{case:,} cases in {seconds:.0f} s, {failed} failed; passed: {dict(sorted(ran.items()))}", flush=True)
    sys.exit(failed > 0)


def again(seed: int, case: int) -> str:
    return f"again: {sys.executable} scripts/fuzz.py --seed {seed} --case {case}"


def run(seed: int, case: int) -> str:
    random = Random(f"{seed} {case}")
    check = random.choice([check_words, check_tiny, check_counts, check_damage, check_damage])
    check(random)
    return check.__name__.removeprefix("check_")


# ---- texts ----


def letters(random: Random, n: int) -> str:
    low, high = random.choice(SCRIPTS)
    return "".join(chr(random.randint(low, high)) for _ in range(n))


def glued(random: Random, n: int) -> str:
    """Return a text of pieces of dictionary words."""
    pieces = []
    for _ in range(n):
        word = random.choice(words())
        begin = random.choice([0, 0, random.randrange(len(word))])
        pieces.append(word[begin : random.choice([len(word), random.randint(begin, len(word))])])
    return "".join(pieces)


def run_of_one(random: Random) -> str:
    n = 50_000 if random.random() < 0.01 else random.choice([1, 30, 499, 500, 1024, 1025, 2000])
    return random.choice(SYMBOLS) * n


def mixed(random: Random) -> str:
    parts: list[Callable[[], str]] = [
        lambda: letters(random, random.randint(1, 40)),
        lambda: glued(random, random.randint(1, 10)),
        lambda: random.choice(SYMBOLS) * random.choice([1, 1, 2, 60]),
        lambda: random.choice(CUTS),
    ]
    return "".join(random.choice(parts)() for _ in range(random.randint(0, 25)))


def at_the_cut(random: Random) -> str:
    """Return a text with punctuation and empty lines where chunks may end."""
    text = random.choice([glued(random, 1200), "亜" * 1200, letters(random, 1200), "x" * 1200])
    for _ in range(random.randint(1, 3)):
        at = random.choice([500, 501, 502, 503, 504, 1023, 1024, 1025, 1026]) - random.randint(0, 5)
        cut = random.choice(CUTS)
        text = text[:at] + cut + text[at + random.choice([0, len(cut)]) :]
    return text[: random.choice([499, 500, 501, 502, 1023, 1024, 1025, 1026, 1200, 5000])]


def kanji(random: Random) -> str:
    return "".join(chr(random.randint(0x4E00, 0x4E00 + random.choice([3, 3000]))) for _ in range(2000))


def a_text(random: Random) -> str:
    text = random.choice([run_of_one, mixed, mixed, mixed, mixed, at_the_cut, at_the_cut, kanji])(random)
    return random.choice([text, text, text, f" \n　{text}\u2028 "])


# ---- words: Janome's dictionary ----


@cache
def plain() -> tuple[Dictionary, PythonEngine, NativeEngine]:
    known = load_dictionary(janome_version())
    return known, PythonEngine(known), NativeEngine(known)


@cache
def words() -> list[str]:
    return [surface for surface, found in plain()[1]._lexicons[0].items() if found]


def user_words(random: Random) -> UserDictionary:
    """Return a user dictionary of either format: words, pieces, symbols, too long ones, repeats at other costs."""
    made = {random.choice([glued, letters])(random, random.randint(1, 4)) for _ in range(random.randint(1, 12))}
    made |= {random.choice(SYMBOLS), random.choice(words()) + "𠮷", letters(random, 60)}
    made |= {glued(random, 40)[: random.choice([49, 50, 51])], "亜" * random.choice([49, 50, 51])}
    if random.random() < 0.1:  # many beginnings with many continuations each: hard to put into a double array
        made |= {chr(0x4E00 + a) + chr(0x4E00 + b) for a in range(20) for b in random.sample(range(1000), 100)}
    surfaces = sorted(word for word in made if word.strip() and word.isprintable() and "," not in word) or ["亜"]
    kind = random.choice(["simpledic", "ipadic"])
    lines = []
    for surface in random.choices(surfaces, k=2 * len(surfaces)):
        if kind == "simpledic":
            lines.append(f"{surface},{random.choice(['名詞', '犬'])},ヨミ")
            continue
        left, right = (random.choice([0, 1, 1285, 1315, random.randrange(1316)]) for _ in range(2))
        cost = random.choice([0, 5000, 5000, -5000, 999999, -999999, random.randint(-999999, 999999)])
        lines.append(f"{surface},{left},{right},{cost},名詞,一般,*,*,*,*,{random.choice([surface, '𠮷る', ''])},ヨ,ヨ")
    return UserDictionary("\n".join(lines) + "\n", kind)


def engines(user: UserDictionary | None) -> tuple[PythonEngine, NativeEngine]:
    known, python, native = plain()
    if user is None:
        return python, native
    with_user = known.with_user(user)
    python = copy(python)  # the dicts of the system's words, which take seconds to make, are shared
    python._dictionary = with_user
    python._lexicons = [words_by_prefix(with_user.user, len(known.system.entries)), *python._lexicons]
    return python, NativeEngine(with_user)


def by_janome(user: UserDictionary | None, text: str) -> list[tuple[str, ...]]:
    from janome.tokenizer import Tokenizer

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "user.csv")
        path.write_text(user.csv if user else "", encoding="utf-8", newline="\n")
        janome = Tokenizer(str(path), udic_type=user.kind, udic_enc="utf-8") if user else Tokenizer()
    return [(t.surface, t.base_form, t.reading, t.part_of_speech) for t in janome.tokenize(text)]


def check_words(random: Random) -> None:
    user = random.choice([None, user_words(random)])
    python, native = engines(user)
    for _ in range(random.randint(1, 3)):
        text = a_text(random)
        if user and random.random() < 0.5:
            surfaces = [entry.surface for entry in user.entries]
            text = "".join(random.choices([*surfaces, text[:50], *CUTS], k=30))
        text = without_surrogates(text)
        found = same_tokens(python, native, text)
        if len(text) < 3000 and random.random() < 0.05:
            assert [(t.surface, t.base, t.reading, t.pos) for t in found] == by_janome(user, text), (user, text)


def same_tokens(python: PythonEngine, native: NativeEngine, text: str) -> list[Any]:
    found = list(native.tokens(text))
    assert found == list(python.tokens(text)), text
    assert list(native.surfaces(text)) == [token.surface for token in found], text
    assert "".join(token.surface for token in found) == text.strip(), text
    return found


# ---- tiny: made-up dictionaries ----


def tiny(random: Random, alphabet: str) -> Dictionary:
    n_ids, n_kinds = random.randint(1, 4), random.randint(1, 4)

    def entry(surface: str) -> Entry:
        left, right = random.randrange(n_ids), random.randrange(n_ids)
        cost, base = random.choice([0, 1, -1, 2, 999999]), random.choice(["", "𠮷"])
        return Entry(surface, left, right, cost, "名詞", base, "ヨ")

    def lexicon(n: int) -> tuple[Lexicon, list[Entry]]:
        return Lexicon.of([entry("".join(random.choices(alphabet, k=random.randint(1, 4)))) for _ in range(n)])

    def bits(n: int) -> Any:
        return np.array([random.randint(1, 2**n_kinds - 1) for _ in range(n)], np.uint16)

    own, accepts = np.ones(0x10000, np.uint16), np.ones(0x10000, np.uint16)
    near = [ord(char) for char in alphabet if ord(char) < 0x10000]
    own[near], accepts[near] = bits(len(near)), bits(len(near))
    unknowns = [[entry("") for _ in range(random.randint(1, 2))] for _ in range(n_kinds)]
    left, right, cost = (np.array([word[k] for kind in unknowns for word in kind]) for k in (1, 2, 3))
    categories = Categories(
        own=own,
        accepts=accepts,
        limits=np.array(random.choices([0, 1, 2, 5, 1023, 1024, 5000], k=n_kinds), np.int32),
        always=np.array(random.choices([0, 1], k=n_kinds), np.uint8),
        firsts=np.cumsum([0, *map(len, unknowns)]).astype(np.int32),
        unknowns=pack_entries(cost, left, right, np.ones(len(cost), bool)),
        beyond=bits(1),
    )
    connections = np.array(random.choices([0, 0, 1, -1, 32767, -32768], k=n_ids**2), np.int16).reshape(n_ids, n_ids)
    system, entries = lexicon(random.randint(1, 40))
    features = Features.of([*entries, *(word for kind in unknowns for word in kind)])
    made = Dictionary(system, None, categories, connections, features)
    if random.random() < 0.5:
        return made
    user, entries = lexicon(random.randint(1, 10))
    return Dictionary(system, user, categories, connections, features.with_entries(entries, len(system.entries)))


def tiny_text(random: Random, alphabet: str) -> str:
    return "".join(random.choices(f"{alphabet}。\n\r", k=random.choice([0, 1, 5, 30, 600, 1100])))


def check_tiny(random: Random) -> None:
    alphabet = random.choice(["ab", "abcあ", "ab😀", "亜一 𠮷"])
    made = tiny(random, alphabet)
    for _ in range(3):
        same_tokens(PythonEngine(made), NativeEngine(made), tiny_text(random, alphabet))


# ---- counts ----


def ngrams(tokens: list[str], low: int, high: int) -> Iterator[str]:
    for end in range(1, len(tokens) + 1):
        for n in range(low, min(high, end) + 1):
            yield " ".join(tokens[end - n : end])


def characters(text: str, low: int, high: int) -> Iterator[str]:
    for stretch in text.split():
        if len(stretch) < low:
            yield f"chars:{stretch}"
        for i in range(len(stretch)):
            yield from (f"chars:{stretch[i : i + n]}" for n in range(low, min(high, len(stretch) - i) + 1))


def a_tokenizer(random: Random, endless: int) -> tuple[Any, Callable[[str], list[str]]]:
    """Return a Cutter and the tokens that it should give."""
    low = random.choice([1, 2, 3])
    options: dict[str, Any] = random.choice([{}, {"form": "base"}, {"form": "base", "pos": ["名詞"]}])
    name, options = random.choice(
        [("chars", {"n": (low, low + random.choice([0, 2, endless]))})]
        + [(plain_name, {}) for plain_name in ("charclass", "words", "whitespace")]
        + [("janome", options)]
    )
    native = tokenizer(name, **options)
    if name != "janome":
        return native.cutter, native
    return native.cutter, tokenizer(name, **options, engine="python")


def check_counts(random: Random) -> None:
    low = random.choice([1, 1, 2])
    longest, *endless = random.choice([(1500, 0, 0), (1500, 0, 0), (60, 10**9, 0), (60, 0, 10**30)])
    high = random.choice([0, *(low + more for more in (0, 0, 1, 3, endless[0]))])
    chars = random.choice([(1, 0), (1, 1), (1, 3), (2, 3), (3, 3)])
    pool = [without_surrogates(glued(random, 1) or "犬") for _ in range(10)]
    stopped = random.choice([[], random.sample(pool, 3), ["の", "a"]])
    documents = []
    for _ in range(random.randint(0, 8)):
        text = random.choice([a_text, lambda r: " ".join(r.choices(pool, k=r.randint(0, 300)))])(random)
        extras: list[Any] = random.choice([[], random.choices([*pool, "", "a b"], k=5)])
        extras += random.choice([[], [(random.choice(["", *pool]), random.choices([*pool, ""], k=3))]])
        documents.append((*a_tokenizer(random, endless[1]), text[:longest], extras))
    expected = [
        Counter(ngrams([t for t in terms(without_surrogates(text)) if t.strip() and t not in stopped], low, high))
        + Counter(characters(without_surrogates(text), *chars))
        + Counter(term for extra in extras for term in joined(extra))
        for _, terms, text, extras in documents
    ]
    counter = _native.Counter(random.randbytes(16), low, high, stopped, None, *chars)
    batches = [documents[i::3] for i in range(3)]
    with ThreadPoolExecutor(random.choice([1, 3])) as threads:
        found = [threads.submit(counted, counter, batch) for batch in batches for _ in range(2)]
        threads.submit(counter.strings).result()
        results = [future.result() for future in found]
    strings = counter.strings()
    assert len(set(strings)) == len(strings)
    data, starts, numbers = counter.sorted()
    in_order = [data[start:end].decode() for start, end in pairwise(memoryview(starts).cast("I"))]
    assert in_order == sorted(strings) == [strings[number] for number in memoryview(numbers).cast("i")]
    for i, rows in enumerate(results):
        named = [Counter({strings[number]: n for number, n in row.items()}) for row in rows]
        assert named == expected[i // 2 :: 3], (documents, low, high, chars, stopped)
    known = random.sample(strings, random.randint(0, len(strings)))
    closed = _native.Counter(random.randbytes(16), low, high, stopped, known, *chars)
    places = {term: i for i, term in enumerate(known)}
    within = [{places[t]: n for t, n in row.items() if t in places} for row in expected]
    assert counted(closed, documents) == within, (documents, low, high, chars, stopped, known)
    assert closed.strings() == known
    vocabulary = Vocabulary(known)
    packed = _native.Counter(
        bytes(16), low, high, stopped, PackedVocabulary.of_arrays(pack_terms(vocabulary)).known, *chars
    )
    in_order = [{vocabulary[known[i]]: n for i, n in row.items()} for row in within]
    assert counted(packed, documents) == in_order, (documents, low, high, chars, stopped, known)


def joined(extra: str | tuple[str, list[str]]) -> list[str]:
    return [extra] if isinstance(extra, str) else [extra[0] + token for token in extra[1]]


def counted(counter: _native.Counter, documents: list[tuple[Any, ...]]) -> list[dict[int, int]]:
    cutters, _, texts, extras = zip(*documents, strict=True) if documents else ((), (), (), ())
    lengths, numbers, counts = (np.frombuffer(data, np.int32) for data in counter.count(cutters, texts, extras))
    ends = np.cumsum(lengths)
    rows = zip(np.split(numbers, ends), np.split(counts, ends), strict=True)
    return [dict(zip(n.tolist(), c.tolist(), strict=True)) for n, c in rows][: len(documents)]


# ---- damage ----


def damaged(random: Random, array: Any) -> Any:
    """Return an array with wrong values, length or alignment."""
    raw = bytearray(np.ascontiguousarray(array).tobytes())
    how = random.choice(["bits", "numbers", "numbers", "short", "long", "shifted", "empty", "noise"])
    size = array.dtype.itemsize
    if how == "bits" and raw:
        for _ in range(random.randint(1, 4)):
            raw[random.randrange(len(raw))] ^= 1 << random.randrange(8)
    elif how == "numbers" and len(raw) >= size:
        extremes = [0, 1, -1, -2, -3, 2, 50, 2**31 - 1, -(2**31), 2**31 - 65535, 2**15, 0xD800, len(raw), array.size]
        for _ in range(random.choice([1, 1, 3, array.size])):
            at = random.randrange(array.size) * size
            raw[at : at + size] = (random.choice(extremes) % 2 ** (8 * size)).to_bytes(size, sys.byteorder)
    elif how == "short":
        del raw[random.randrange(len(raw) + 1) :]
    elif how == "long":
        raw += random.randbytes(random.choice([1, size, 64]))
    elif how == "shifted":
        return memoryview(bytes(1) + raw)[1:]
    elif how == "empty":
        return b""
    elif how == "noise":
        return random.randbytes(len(raw))
    return bytes(raw)


def check_damage(random: Random) -> None:
    made = tiny(random, "ab😀")
    kinds, known = made.categories, made.features
    lexicons = [list(made.system.arrays), list(made.user.arrays) if made.user else []]
    others = [made.connections, kinds.own, kinds.accepts, kinds.limits, kinds.always, kinds.firsts, kinds.unknowns]
    strings = [known.base, known.offsets, known.pool]
    for _ in range(random.choice([1, 1, 2])):
        part = random.choice([part for part in (*lexicons, *lexicons, others, strings) if part])
        at = random.randrange(len(part))
        part[at] = damaged(random, part[at] if isinstance(part[at], np.ndarray) else np.frombuffer(part[at], np.uint8))
    system, user = map(tuple, lexicons)
    beyond = random.choice([int(kinds.beyond[0]), int(kinds.beyond[0]), 0, -1, 65536, 2**31 - 1])
    texts = [tiny_text(random, "ab😀\ud800") for _ in range(3)]
    try:
        lattice = _native.Lattice(system, user or None, *others, beyond)
        for text in texts:
            assert "".join(lattice.surfaces(text)) == text.strip()
            tokens = lattice.tokens(text, Token, dict.fromkeys(range(-99, 99), (None, *"rpifs", True)))
            assert [token.surface for token in tokens] == lattice.surfaces(text)
            pieces, done = lattice.cut(text, random.choice([-1, 0, 1, 10**6]))
            ends = np.frombuffer(pieces, np.int32)[::2].tolist()
            assert ends == sorted(set(ends)) and (ends or [0])[-1] == done <= len(text)
        cutter = _native.Cutter("lattice", lattice, *strings)
        counter = _native.Counter(bytes(16), 1, 2, [])
        counter.count((cutter,) * 3, tuple(texts), ((),) * 3)
        counter.strings()
    except ValueError:
        pass


if __name__ == "__main__":
    main()
