import gc
import math
import multiprocessing
import operator
import os
import pickle
import threading
import time
import weakref
from functools import partial

import pytest

from textnb import Analyzer, Document, TextClassifier, read_corpus
from textnb.counts import TermsOf
from textnb.errors import InputError, WorkerError
from textnb.parallel import as_jobs, map_ordered, one_behind
from textnb.text import UserDictionary, tokenizer

TEXTS = ["すもももももももものうち", "", "梅を 塩で漬けた。", "The plum", "東京スカイツリーへ行く"]
DICTIONARY = UserDictionary("東京スカイツリー,カスタム名詞,トウキョウスカイツリー\n")


def on_two(function, items):
    return map_ordered(function, items, jobs=2, patience=0)


@pytest.mark.parametrize("jobs", [0, 1, 2, None])
def test_results_and_their_order_do_not_depend_on_the_number_of_jobs(jobs):
    for items in ([], [*range(50, -50, -1)]):
        assert list(map_ordered(abs, items, jobs=jobs, patience=0)) == [abs(item) for item in items]


def test_the_work_is_done_by_other_processes_no_more_than_asked_for():
    workers = set(on_two(operator.call, [os.getpid] * 40))
    assert os.getpid() not in workers
    assert 1 <= len(workers) <= 2


def test_work_that_is_soon_done_starts_no_process():
    patient = map_ordered(operator.call, [os.getpid] * 5, jobs=2, patience=math.inf)
    assert set(patient) == {os.getpid()}


@pytest.mark.parametrize(("items", "elsewhere"), [(6, True), (4, False)])
def test_processes_are_started_at_once_where_there_is_enough_for_them(items, elsewhere):
    found = list(map_ordered(operator.call, [os.getpid] * items, jobs=2, patience=60, enough=5))
    assert len(found) == items
    assert (os.getpid() not in found) == elsewhere


def test_what_is_slow_to_come_is_not_waited_for():
    taken = []

    def slow_items():
        for i in range(20):
            time.sleep(0.02)
            taken.append(i)
            yield -i

    results = map_ordered(abs, slow_items(), jobs=2, patience=0.1, enough=1000)
    assert next(results) == 0
    assert len(taken) < 20
    assert list(results) == [*range(1, 20)]


def test_nothing_is_lost_or_repeated_where_processes_take_over():
    def slow_items():
        for i in range(20):
            time.sleep(0.05 if i == 3 else 0)
            yield -i

    assert list(map_ordered(abs, slow_items(), jobs=2, patience=0.02)) == [*range(20)]


@pytest.mark.parametrize(("jobs", "most"), [(1, 1), (2, 8)])
def test_items_are_taken_only_a_few_ahead_of_the_results(jobs, most):
    taken = []
    before = set(multiprocessing.active_children())  # other tests of this process may keep a pool of joblib's
    results = map_ordered(abs, (taken.append(i) or i for i in range(1000)), jobs=jobs, patience=0)
    assert taken == []
    assert next(results) == 0
    assert 1 <= len(taken) <= most
    results.close()
    assert len(taken) <= most
    assert set(multiprocessing.active_children()) <= before


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_before_an_exception_arrive_first_and_then_the_exception_itself(jobs):
    results = map_ordered(tokenizer, ["words", "chars", "nope", "auto"], jobs=jobs, patience=0)
    assert [next(results), next(results)] == [tokenizer("words"), tokenizer("chars")]
    with pytest.raises(InputError, match="unknown tokenizer 'nope'"):
        next(results)


def test_an_exception_among_the_items_arrives_as_itself():
    def items():
        yield -1
        raise KeyError("file")

    with pytest.raises(KeyError, match="file"):
        list(on_two(abs, items()))


@pytest.mark.parametrize("cut", [tokenizer("auto"), tokenizer("janome", stop_words=["も"], user_dictionary=DICTIONARY)])
def test_terms_are_the_same_on_processes_started_afresh(cut):
    terms_of = TermsOf(cut, Analyzer(normalisers=["nfkc"], ngram=(1, 2)))
    documents = [Document(text, fields={"to": ["me"]}) for text in TEXTS]
    here = [terms_of(document) for document in documents]
    assert list(on_two(terms_of, documents)) == here
    assert pickle.loads(pickle.dumps(terms_of)) == terms_of


def test_a_classifier_is_the_same_whatever_the_number_of_jobs(monkeypatch, tmp_path, request):
    corpus = [*read_corpus(request.config.rootpath / "corpora" / "ja-mini" / "test")]
    alone = TextClassifier(tokenizer="charclass").fit(corpus)
    monkeypatch.setattr("textnb.counts.counting.map_ordered", partial(map_ordered, patience=0))
    monkeypatch.setattr("textnb.counts.counting.BATCH_CHARACTERS", 2000)
    together = TextClassifier(tokenizer="charclass").fit(corpus, jobs=2)
    for name, classifier in (("alone", alone), ("together", together)):
        classifier.save(tmp_path / name)
    assert (tmp_path / "alone").read_bytes() == (tmp_path / "together").read_bytes()


def test_no_number_of_jobs_means_one_a_processor():
    assert as_jobs(None) == as_jobs(0) == as_jobs(-1) >= 1
    assert as_jobs(3) == 3


@pytest.mark.parametrize("jobs", [-2, 2.5, "2"])
def test_a_number_of_jobs_that_is_none_is_refused(jobs):
    for call in (as_jobs, lambda jobs: TextClassifier(tokenizer="whitespace").fit(["a"], ["x"], jobs=jobs)):
        with pytest.raises(InputError, match=f"jobs must be a whole number, or -1 for one per processor, not {jobs!r}"):
            call(jobs)


def _die(_):
    os._exit(3)


def test_a_worker_that_dies_is_a_clear_error():
    with pytest.raises(WorkerError, match="a worker process ended"):
        list(map_ordered(_die, [1], jobs=2, patience=0))


def environment_of(name):
    return os.environ.get(name)


def test_processes_have_one_thread_each_for_linear_algebra_unless_told_otherwise(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "3")
    found = list(map_ordered(environment_of, ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"], jobs=2, patience=0))
    assert found == ["1", "3"]
    assert "OMP_NUM_THREADS" not in os.environ


@pytest.mark.parametrize("jobs", [1, 2])
def test_one_behind_takes_all_items_in_order_on_one_thread(jobs):
    taken, threads = [], set()

    def take(item):
        taken.append(item)
        threads.add(threading.get_ident())

    one_behind(take, iter(range(50)), jobs)
    assert taken == [*range(50)]
    assert len(threads) == 1
    assert (threading.get_ident() in threads) == (jobs == 1)


@pytest.mark.parametrize(("jobs", "most"), [(1, 1), (2, 2)])
def test_one_behind_has_no_more_items_than_are_worked_on(jobs, most):
    class Item:
        pass

    alive, numbers = weakref.WeakSet(), []

    def items():
        for _ in range(20):
            numbers.append(len(alive) + 1)
            item = Item()
            alive.add(item)
            yield item
            del item

    one_behind(lambda _: time.sleep(0.002), items(), jobs)
    assert max(numbers) <= most


@pytest.mark.parametrize("jobs", [1, 2])
def test_one_behind_ends_with_the_first_error_of_either_side(jobs):
    taken = []

    def take(item):
        taken.append(item)
        if item == 3:
            raise InputError("three")

    def items():
        yield from range(2)
        raise InputError("no more")

    with pytest.raises(InputError, match="three"):
        one_behind(take, iter(range(20)), jobs)
    assert taken == [0, 1, 2, 3]
    with pytest.raises(InputError, match="no more"):
        one_behind(taken.append, items(), jobs)
    assert taken == [0, 1, 2, 3, 0, 1]


@pytest.mark.parametrize("jobs", [1, 2])
def test_one_behind_closes_its_items_without_the_garbage_collector(jobs):
    closed = []

    def items():
        try:
            while True:
                yield 1
        finally:
            closed.append(threading.get_ident())

    def fail(_):
        raise InputError("no")

    gc.disable()
    try:
        with pytest.raises(InputError, match="no"):
            one_behind(fail, items(), jobs)
        assert closed == [threading.get_ident()]
    finally:
        gc.enable()
