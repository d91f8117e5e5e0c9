import os
import socket
import unicodedata
from pathlib import Path

import pytest

from textnb.errors import InputError, ReadingWarning
from textnb.readers import Settings, read_corpus
from textnb.readers.folders import read_folder
from textnb.readers.settings import Troubles


def found(documents):
    return [(document.id, document.label, document.text) for document in documents]


def ids(documents):
    return [document.id for document in documents]


def read_with(root, **told):
    return read_folder(root, Settings(**told), Troubles(str(root)))


def test_the_label_is_the_class_folder_and_the_id_is_the_path_from_the_root(corpus):
    root = corpus({"ham/1.txt": "こんにちは", "spam/2003/05/1.txt": "buy", "spam/2.txt": ""})
    assert found(read_corpus(root)) == [
        ("ham/1.txt", "ham", "こんにちは"),
        ("spam/2.txt", "spam", ""),
        ("spam/2003/05/1.txt", "spam", "buy"),
    ]


def test_the_path_may_be_a_string_with_a_slash_or_relative(corpus, monkeypatch):
    root = corpus({"a/1.txt": "x"})
    monkeypatch.chdir(root.parent)
    assert ids(read_corpus(f"{root}/")) == ids(read_corpus("corpus")) == ids(read_corpus("./corpus/.")) == ["a/1.txt"]


def test_hidden_files_and_folders_are_passed_over_without_a_word(corpus):
    root = corpus({"a/1.txt": "x", "a/.DS_Store": "x", ".git/HEAD": "x", "a/.cache/2.txt": "x", ".hidden": "x"})
    assert ids(read_corpus(root)) == ["a/1.txt"]


@pytest.mark.parametrize(
    ("glob", "expected"),
    [
        ("*.txt", ["a/1.txt", "a/x/3.txt", "b/4.txt"]),
        ("a/*", ["a/1.txt", "a/2.md", "a/x/3.txt"]),
        ("a/*.txt", ["a/1.txt", "a/x/3.txt"]),
        ("[!1]*.txt", ["a/1.txt", "a/x/3.txt", "b/4.txt"]),
        ("4.txt", ["b/4.txt"]),
        ("none", []),
    ],
)
def test_a_glob_chooses_by_the_name_or_by_the_path_from_the_root(corpus, glob, expected):
    root = corpus({"a/1.txt": "", "a/2.md": "", "a/x/3.txt": "", "b/4.txt": ""})
    assert ids(read_corpus(root, glob=glob)) == expected


def test_excluded_names_are_left_out_without_a_word_at_every_depth(corpus):
    root = corpus({"LICENSE.txt": "", "a/LICENSE.txt": "", "a/x/LICENSE.txt": "", "a/1.txt": ""})
    assert ids(read_with(root, exclude=("LICENSE.txt",))) == ["a/1.txt"]


@pytest.mark.parametrize(
    ("skip", "text"), [(0, "url\r\ndate\r\ntitle\n"), (1, "date\r\ntitle\n"), (2, "title\n"), (3, ""), (9, "")]
)
def test_skip_lines_drops_lines_at_the_beginning_of_each_file(corpus, skip, text):
    root = corpus({"a/1.txt": "url\r\ndate\r\ntitle\n"})
    assert [document.text for document in read_with(root, skip_lines=skip)] == [text]


def test_stray_files_are_warned_about_once_with_their_count_and_are_not_read(corpus):
    root = corpus({"README": "", "a.txt": "", "b.txt": "", "c.txt": "", "a/1.txt": "x", "corpus.toml": ""})
    with pytest.warns(ReadingWarning, match=r"4 files were not read.*README; a.txt; b.txt; \.\.\.") as caught:
        assert ids(read_corpus(root)) == ["a/1.txt"]
    assert len(caught) == 1


def test_what_cannot_be_decoded_is_in_the_defects_and_warned_about_once_with_a_count(corpus):
    root = corpus({"a/1.txt": b"caf\xe9!", "a/2.txt": "fine", "b/3.txt": b"\xe9! \xe9!"})
    with pytest.warns(ReadingWarning, match=r"2 of 3 documents.*a/1\.txt: 1 undecodable place in utf-8") as caught:
        documents = list(read_corpus(root))
    defects = [document.defects for document in documents]
    assert defects == [("1 undecodable place in utf-8",), (), ("2 undecodable places in utf-8",)]
    assert documents[0].text == "caf\ufffd!"
    assert len(caught) == 1


def test_each_file_has_its_own_encoding(corpus):
    text = "今日は良い天気です。"
    names = ("cp932", "euc_jp", "iso2022_jp", "utf-16", "utf-8", "utf-8-sig")
    root = corpus({f"a/{name}": text.encode(name) for name in names})
    assert found(read_corpus(root)) == [(f"a/{name}", "a", text) for name in names]


def test_the_given_encoding_is_believed_where_bytes_are_not_utf_8(corpus):
    root = corpus({"a/1.txt": "café".encode("latin-1"), "a/2.txt": "café".encode()})
    assert [document.text for document in read_corpus(root, encoding="latin-1")] == ["café", "café"]


@pytest.mark.parametrize("files", [{}, {"1.txt": "x"}, {".git/HEAD": "x"}])
def test_a_folder_without_subfolders_is_refused(corpus, tmp_path, files):
    (tmp_path / "corpus").mkdir()
    with pytest.raises(InputError, match=r"corpus has no subfolders"):
        list(read_corpus(corpus(files)))


def test_an_empty_class_folder_has_no_documents(corpus):
    root = corpus({"a/1.txt": "x"})
    (root / "b").mkdir()
    assert ids(read_corpus(root)) == ["a/1.txt"]


def test_special_files_and_dangling_links_are_counted_and_never_waited_for(corpus, never_hangs):
    root = corpus({"a/1.txt": "x"})
    os.mkfifo(root / "a" / "fifo")
    os.mkfifo(root / "fifo")
    (root / "a" / "gone").symlink_to("nowhere")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.path.relpath(root / "a" / "socket"))
        with pytest.warns(ReadingWarning, match=r"4 files were not read.*a/fifo; a/gone; a/socket"):
            assert ids(read_corpus(root)) == ["a/1.txt"]


def test_a_file_that_cannot_be_read_is_an_error_that_names_it_or_is_skipped_and_counted(corpus, monkeypatch):
    root = corpus({"a/1.txt": "x", "a/2.txt": "y"})
    read = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: read(path if path.name == "1.txt" else path / "no folder"))
    with pytest.raises(InputError, match=r"a/2\.txt: .*skip_bad"):
        list(read_corpus(root))
    with pytest.warns(ReadingWarning, match=r"1 bad records? .*a/2\.txt"):
        assert ids(read_corpus(root, skip_bad=True, max_skipped=0.5)) == ["a/1.txt"]


def test_labels_ids_globs_and_exclusions_do_not_depend_on_how_the_file_system_composes_names(corpus):
    decomposed = unicodedata.normalize("NFD", "が/だ1.txt")
    root = corpus({decomposed: "x", unicodedata.normalize("NFD", "が/ぶ.txt"): "y"})
    assert found(read_corpus(root)) == [("が/だ1.txt", "が", "x"), ("が/ぶ.txt", "が", "y")]
    assert ids(read_corpus(root, glob="だ*.txt")) == ["が/だ1.txt"]
    assert ids(read_with(root, exclude=("ぶ.txt",))) == ["が/だ1.txt"]


def test_names_that_are_not_utf_8_still_give_an_id_that_can_be_written(corpus):
    root = corpus({"a/1.txt": "x"})
    (root / "a" / os.fsdecode(b"\x93\xfa.txt")).write_text("y")
    assert len({name.encode() for name in ids(read_corpus(root))}) == 2


def test_the_order_is_by_name_in_every_folder_and_not_by_when_files_were_made(corpus):
    names = ["b/2.txt", "b/10.txt", "あ/1.txt", "a/z.txt", "a/Z.txt", "a/k/1.txt", "a/k.txt"]
    expected = ["a/Z.txt", "a/k/1.txt", "a/k.txt", "a/z.txt", "b/10.txt", "b/2.txt", "あ/1.txt"]
    forwards = corpus(dict.fromkeys(names, "x"), root="forwards")
    backwards = corpus(dict.fromkeys(reversed(names), "x"), root="backwards")
    assert ids(read_corpus(forwards)) == ids(read_corpus(backwards)) == expected


def test_the_first_document_comes_before_the_rest_is_read(corpus):
    root = corpus({"a/1.txt": "one", "a/2.txt": "two", "b/3.txt": "three"})
    documents = read_corpus(root)
    assert next(documents).text == "one"
    (root / "a" / "2.txt").write_text("changed")
    (root / "b" / "3.txt").unlink()
    (root / "b" / "4.txt").write_text("new")
    assert [document.text for document in documents] == ["changed", "new"]


def test_labels_rename_class_folders(corpus):
    root = corpus({"easy_ham/1": "x", "hard_ham/1": "y", "spam/1": "z"})
    labels = {"easy_ham": "ham", "hard_ham": "ham"}
    assert [document.label for document in read_with(root, labels=labels)] == ["ham", "ham", "spam"]


def test_folder_names_in_another_charset_are_read_as_text(tmp_path):
    for name in ("政治", "医療"):
        folder = tmp_path / os.fsdecode(name.encode("cp932"))
        folder.mkdir()
        (folder / "1.txt").write_text("text")
    assert {document.label for document in read_corpus(tmp_path)} == {"政治", "医療"}
