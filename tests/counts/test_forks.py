"""A child that is forked while threads of its parent count can count as well."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from textnb import TextClassifier
from textnb.extension import cached_property, has_extension

pytestmark = pytest.mark.skipif(
    not hasattr(os, "fork") or not has_extension(), reason="there is no fork, or no extension with a lock"
)

TEXTS = ["good fun day " * 50, "bad sad rain " * 50, "良い 一日 でした " * 50]
LABELS = ["pos", "neg", "pos"]
FORKS = 60
SECONDS = 20


def child_answers(classifier, expected):
    """Fork, let the child answer, and return whether it gave the expected answers before a time-out."""
    pid = os.fork()
    if not pid:
        signal.alarm(SECONDS)  # a child that hangs is ended by the signal
        answered = 1
        try:
            answered = 0 if classifier.predict(TEXTS).tolist() == expected else 2
        finally:
            os._exit(answered)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def children_that_answer(source, path):
    """Fork FORKS children while a thread predicts; return how many of them gave the expected answers."""
    classifier = TextClassifier(tokenizer="words").fit(TEXTS, LABELS)
    if source == "loaded":
        classifier.save(path)
        classifier = TextClassifier.load(path)
    expected, stop = classifier.predict(TEXTS).tolist(), threading.Event()

    def predict_on():
        while not stop.is_set():
            classifier.predict(TEXTS * 20)

    thread = threading.Thread(target=predict_on)
    thread.start()
    answered = 0
    try:
        for _ in range(FORKS):
            time.sleep(0.002)
            answered += child_answers(classifier, expected)
    finally:
        stop.set()
        thread.join()
    return answered


@pytest.mark.parametrize("source", ["fitted", "loaded"])
def test_no_child_hangs_of_sixty_that_are_forked_while_a_thread_predicts(tmp_path, source):
    # In a process of its own: a child of the process that runs all tests would copy gigabytes of page tables.
    done = subprocess.run([sys.executable, __file__, source, tmp_path / "model"], capture_output=True, check=True)
    assert int(done.stdout) == FORKS


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_child_computes_a_property_that_a_thread_of_its_parent_was_computing():
    begun, end = threading.Event(), threading.Event()

    class Slow:
        @cached_property
        def value(self):
            if threading.current_thread() is thread:
                begun.set()
                end.wait()
            return 1

    thread = threading.Thread(target=lambda: Slow().value)
    thread.start()
    begun.wait()
    pid = os.fork()
    if not pid:
        signal.alarm(SECONDS)
        os._exit(Slow().value)
    end.set()
    thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 1


def test_a_child_that_makes_and_drops_classifiers_frees_only_its_own_counters():
    classifier = TextClassifier(tokenizer="words").fit(TEXTS, LABELS)
    expected = classifier.predict(TEXTS).tolist()
    pid = os.fork()
    if not pid:
        code = 1
        try:
            own = TextClassifier(tokenizer="words").fit(TEXTS, LABELS)
            same = own.predict(TEXTS).tolist() == classifier.predict(TEXTS).tolist() == expected
            del own, classifier
            code = 0 if same else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert classifier.predict(TEXTS).tolist() == expected


if __name__ == "__main__":
    print(children_that_answer(*sys.argv[1:]))
