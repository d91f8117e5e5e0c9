import signal

import pytest


@pytest.fixture
def never_hangs():
    """A read that would wait for ever ends in an error instead; what is in time costs nothing."""

    def give_up(number, frame):
        raise AssertionError("the reader waits for bytes that never come")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(5)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def corpus(tmp_path):
    """A function that writes a corpus folder from {path: text or bytes} and gives its root."""

    def write(files, root="corpus"):
        for name, content in files.items():
            path = tmp_path / root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path / root

    return write


@pytest.fixture
def table(tmp_path):
    """A function that writes one file of text or bytes and gives its path."""

    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write
