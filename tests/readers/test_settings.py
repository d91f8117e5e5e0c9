import pytest

from textnb.errors import InputError
from textnb.readers import Settings, read_corpus, read_input
from textnb.readers.settings import complete_settings

READER = '[reader]\nglob = "*.txt"\nskip_lines = 2\nexclude = ["LICENSE.txt"]\nencoding = "euc-jp"\n'


def ids(documents):
    return [document.id for document in documents]


def test_the_description_in_the_folder_says_how_to_read_it(corpus):
    root = corpus({"corpus.toml": READER, "a/1.txt": "url\ndate\ntitle", "a/LICENSE.txt": "x", "a/notes.md": "x"})
    assert complete_settings(root, Settings()) == Settings(
        glob="*.txt", skip_lines=2, exclude=("LICENSE.txt",), encoding="euc-jp"
    )
    assert [(document.id, document.text) for document in read_corpus(root)] == [("a/1.txt", "title")]


def test_what_the_caller_says_goes_before_the_description(corpus):
    root = corpus({"corpus.toml": READER, "a/1.md": "url\ndate\ntitle", "a/1.txt": "x"})
    told = complete_settings(root, Settings(glob="*.md", encoding="cp932", skip_bad=True))
    assert told == Settings(glob="*.md", skip_lines=2, exclude=("LICENSE.txt",), encoding="cp932", skip_bad=True)
    assert ids(read_corpus(root, glob="*.md")) == ["a/1.md"]


def test_a_part_is_read_by_the_description_in_the_folder_above(corpus, monkeypatch):
    root = corpus(
        {"corpus.toml": 'parts = ["train"]\n' + READER, "train/a/1.txt": "1\n2\nx", "other/a/1.txt": "1\n2\ny"}
    )
    assert [document.text for document in read_corpus(root / "train")] == ["x"]
    assert [document.text for document in read_corpus(root / "other")] == ["1\n2\ny"]
    monkeypatch.chdir(root / "train")
    assert [document.text for document in read_corpus(".")] == ["x"]


def test_a_parts_own_description_goes_before_the_one_above(corpus):
    root = corpus({"corpus.toml": 'parts = ["train"]\n' + READER, "train/corpus.toml": "[reader]\nskip_lines = 1\n"})
    assert complete_settings(root / "train", Settings()) == Settings(skip_lines=1)


@pytest.mark.parametrize("name", ["corpus", "train"])
def test_a_corpus_of_parts_is_not_read_as_if_its_parts_were_classes(corpus, name):
    files = {"corpus.toml": 'parts = ["train", "test"]\n', "train/a/1.txt": "x", "test/a/2.txt": "y"}
    root = corpus(files, root=name)
    with pytest.raises(InputError, match=r"has parts; read one of them: .*/train, .*/test"):
        list(read_corpus(root))


def test_a_description_above_that_names_no_parts_is_not_about_this_folder(corpus):
    root = corpus({"corpus.toml": "[reader]\nskip_lines = 1\n", "sub/a/1.txt": "1\n2"})
    assert [document.text for document in read_corpus(root / "sub")] == ["1\n2"]


@pytest.mark.parametrize(
    ("content", "offender"),
    [
        ("[reader]\nskip_line = 2\n", "skip_line = 2"),
        ('[reader]\nskip_lines = "2"\n', "skip_lines = '2'"),
        ("[reader]\nskip_lines = true\n", "skip_lines"),
        ("[reader]\nskip_lines = -1\n", "skip_lines"),
        ('[reader]\nexclude = "LICENSE"\n', "exclude = 'LICENSE'"),
        ("[reader]\nexclude = [1]\n", "exclude"),
        ("[reader]\nlabels = { a = 1 }\n", "labels"),
        ('[reader]\nencoding = "no-such"\n', "no-such"),
        ('reader = "folder"\n', "reader"),
        ('[[reader]]\nglob = "*"\n', "reader"),
        ("parts = 3\n", "parts"),
        ('parts = "train"\n', "parts"),
        ("parts = [1]\n", "parts"),
    ],
)
def test_nonsense_in_a_description_is_refused_by_name(corpus, content, offender):
    root = corpus({"corpus.toml": content, "a/1.txt": "x"})
    with pytest.raises(InputError, match=offender):
        list(read_corpus(root))


@pytest.mark.parametrize(
    "content", [b"parts = [", b"\xff\xfe", "parts = ['日本']".encode("cp932"), b"x=" + b"[" * 20000]
)
def test_a_description_that_is_no_toml_is_an_error_that_names_the_file(corpus, content):
    root = corpus({"corpus.toml": content, "a/1.txt": "x"})
    with pytest.raises(InputError, match=r"corpus/corpus\.toml: "):
        read_corpus(root)


def test_nonsense_in_the_description_above_names_the_file_it_stands_in(corpus):
    root = corpus({"corpus.toml": 'parts = ["train"]\n[reader]\nnonsense = 1\n', "train/a/1.txt": "x"})
    with pytest.raises(InputError, match=r"corpus/corpus\.toml: invalid setting \[reader\] nonsense = 1"):
        read_corpus(root / "train")


def test_the_description_is_no_document_where_labels_are_not_asked_for(corpus):
    root = corpus({"corpus.toml": "[reader]\nskip_lines = 1\n", "1.txt": "1\n2", "a/2.txt": "1\n2"})
    assert ids(read_input(root, None, Settings(labelled=False))) == ["1.txt", "a/2.txt"]


def test_an_unknown_encoding_is_refused_before_anything_is_read(tmp_path):
    with pytest.raises(InputError, match="no-such-charset"):
        read_corpus(tmp_path, encoding="no-such-charset")
