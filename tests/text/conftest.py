from pathlib import Path

import pytest

JA_MINI = Path(__file__).parents[2] / "corpora" / "ja-mini"


@pytest.fixture(scope="session")
def reference():
    """Janome itself, used through its public tokenize() only."""
    from janome.tokenizer import Tokenizer

    return Tokenizer()


@pytest.fixture(scope="session")
def ja_mini():
    texts = [path.read_text(encoding="utf-8") for path in sorted(JA_MINI.rglob("*.txt"))]
    assert len(texts) > 100
    return texts


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Writes a module that can be imported under the given name and that leaves a mark when it is."""

    def written(name, source):
        mark = tmp_path / f"{name}.imported"
        (tmp_path / f"{name}.py").write_text(f"open({str(mark)!r}, 'w').close()\n{source}\n", encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)
        return mark

    return written
