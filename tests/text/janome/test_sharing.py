"""One tokenizer for many threads, for processes that were forked, and for processes that were started anew."""

import multiprocessing
import os
import pickle
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from textnb import read_corpus
from textnb.extension import has_extension
from textnb.text import UserDictionary, tokenizer
from textnb.text.janome import ENGINES

ROOT = Path(__file__).parents[3]
NAMES = "東京都 東京駅 東京大学 東京湾 京都市 京都大学 京都府 大阪府 大阪城 大阪市 日本人 日本語 日本銀行 日本海"
WORDS = UserDictionary("東京駅,カスタム名詞,トウキョウエキ\n")
MADE = [name for name in ENGINES if name != "native" or has_extension()]
every_engine = pytest.mark.parametrize("engine", MADE)


@pytest.fixture(scope="module")
def texts():
    return [document.text for document in read_corpus(ROOT / "corpora" / "ja-mini" / "test")][::3]


def cut(each, texts):
    return [list(each.tokens(text)) for text in texts]


@every_engine
def test_threads_that_share_a_tokenizer_do_not_disturb_one_another(engine, texts):
    names = NAMES.split()  # threads that share one Janome spoil one another's look-up of common beginnings
    texts = [*texts[:5], *("へ".join(names[i:] + names[:i]) * 5 for i in range(len(names)))]
    shared = tokenizer("janome", engine=engine, user_dictionary=WORDS)
    expected, interval = cut(shared, texts), sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    try:
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(lambda _: cut(shared, texts), range(4))) == [expected] * 4
    finally:
        sys.setswitchinterval(interval)
    assert cut(shared, texts) == expected


@every_engine
def test_tokens_may_be_taken_in_turn_from_two_texts(engine, texts):
    shared = tokenizer("janome", engine=engine)
    one, other = texts[:2]
    pairs = zip(shared.tokens(one), shared.tokens(other), strict=False)
    for (a, b), (first, second) in zip(pairs, zip(*cut(shared, [one, other]), strict=False), strict=True):
        assert (a, b) == (first, second)


@every_engine
@pytest.mark.parametrize("method", ["spawn", "fork", "forkserver"])
def test_other_processes_get_the_same_tokens(engine, method, texts):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system has no {method}")
    shared = tokenizer("janome", engine=engine, user_dictionary=WORDS)
    expected = [shared(text) for text in texts[:4]]  # used before it is sent
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert pool.map(shared, texts[:4]) == expected


@every_engine
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_fork_in_the_middle_of_other_threads_work_is_harmless(engine, texts):
    shared = tokenizer("janome", engine=engine)
    expected, stop = shared(texts[0]), threading.Event()

    def busy():
        while not stop.is_set():
            shared(texts[1])

    threads = [threading.Thread(target=busy) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(3):
            with multiprocessing.get_context("fork").Pool(1) as pool:
                assert pool.apply_async(shared, (texts[0],)).get(timeout=60) == expected
    finally:
        stop.set()
        for thread in threads:
            thread.join()


@every_engine
def test_what_is_pickled_is_the_recipe_and_not_the_engine(engine):
    shared = tokenizer("janome", engine=engine, user_dictionary=WORDS, form="base")
    list(shared.tokens("東京駅へ行った"))
    data = pickle.dumps(shared)
    again = pickle.loads(data)
    assert len(data) < 1_000 and again == shared and again.engine == engine
    assert again("東京駅へ行った") == ["東京駅", "へ", "行く", "た"]


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.skipif("native" not in MADE, reason="the C extension is not built")
def test_the_dictionary_is_mapped_from_the_cache_and_so_shared():
    tokenizer("janome", engine="native")("犬")
    assert ".dictionary" in Path("/proc/self/maps").read_text()
