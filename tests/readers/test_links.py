"""Links below a folder: none leads out of it, none in a circle, and no folder is read twice."""

import os
import time
import warnings

import pytest

from textnb.errors import InputError, ReadingWarning
from textnb.readers import Settings, read_corpus, read_input
from textnb.readers.mailboxes import is_mail_corpus, is_store

SECRET = b"Subject: secret\n\nsecret"
PLAIN = b"Subject: plain\n\nplain"


def read(path, reader=None, *, labelled=True):
    """Ids and texts of the documents, and the warnings."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        documents = read_corpus(path, reader) if labelled else read_input(path, reader, Settings(labelled=False))
        texts = {document.id: document.text for document in documents}
    assert not any("secret" in text for text in texts.values())
    return sorted(texts), " ".join(str(each.message) for each in warned)


@pytest.fixture
def elsewhere(corpus):
    return corpus({"1.eml": SECRET, "deep/2.eml": SECRET, "cur/3": SECRET, "new/4": SECRET}, root="elsewhere")


@pytest.mark.parametrize("reader", ["folder", "mail"])
@pytest.mark.parametrize("labelled", [True, False])
@pytest.mark.parametrize("target", ["", "deep", "1.eml", "deep/2.eml", "cur", "cur/3"])
@pytest.mark.parametrize("absolute", [True, False])
@pytest.mark.parametrize("place", ["a/x.eml", "a/sub/x.eml", "a/sub/cur"])
def test_no_link_leads_out_of_a_folder(corpus, elsewhere, reader, labelled, target, absolute, place):
    root = corpus({"a/1.eml": PLAIN, "a/sub/2.eml": PLAIN})
    to = elsewhere / target
    (root / place).symlink_to(to if absolute else os.path.relpath(to, (root / place).parent))
    names, warned = read(root, reader, labelled=labelled)
    assert names == ["a/1.eml", "a/sub/2.eml"]
    assert "1 link was not followed" in warned
    assert place in warned


@pytest.mark.parametrize("steps", [1, 2, 30])
def test_a_chain_of_links_ends_where_its_last_link_leads(corpus, elsewhere, steps):
    root = corpus({"a/1.eml": PLAIN, "a/.kept/2.eml": PLAIN})
    for end, name in ((elsewhere / "1.eml", "out"), (root / "a" / ".kept" / "2.eml", "in")):
        for step in range(steps):
            (root / "a" / f"{name}{step}").symlink_to(f"{name}{step + 1}" if step + 1 < steps else end)
    names, warned = read(root, "folder")
    assert names == ["a/1.eml", *sorted(f"a/in{step}" for step in range(steps))]
    assert f"{steps} link" in warned


@pytest.mark.parametrize("target", ["1.eml", "../b/1.eml", ".hidden/1.eml", "../b/deep/../1.eml"])
def test_a_link_to_a_file_of_the_corpus_is_a_document(corpus, target):
    root = corpus({"a/1.eml": PLAIN, "b/1.eml": PLAIN, "b/deep/2.eml": PLAIN, "a/.hidden/1.eml": PLAIN})
    (root / "a" / "x.eml").symlink_to(target)
    for reader in ("folder", "mail"):
        assert read(root, reader) == (["a/1.eml", "a/x.eml", "b/1.eml", "b/deep/2.eml"], "")


def test_a_corpus_whose_own_name_is_a_link_is_read(corpus, tmp_path):
    root = corpus({"a/1.eml": PLAIN})
    (root / "a" / "2.eml").symlink_to("1.eml")
    (tmp_path / "name").symlink_to(root)
    for reader in ("folder", "mail"):
        assert read(tmp_path / "name", reader) == (["a/1.eml", "a/2.eml"], "")


@pytest.mark.parametrize("reader", ["folder", "mail", None])
@pytest.mark.parametrize("target", ["a", ".", ".hidden", "../elsewhere", "/"])
def test_a_link_in_place_of_a_class_folder_is_refused(corpus, elsewhere, reader, target):
    root = corpus({"a/1.eml": PLAIN, ".hidden/1.eml": PLAIN})
    (root / "b").symlink_to(target)
    with pytest.raises(InputError, match=r"corpus/b is a link to .*move or copy the documents"):
        read(root, reader)


def test_a_link_in_place_of_a_mailbox_is_refused_if_it_leads_out(corpus, elsewhere):
    root = corpus({"a/1.eml": PLAIN})
    (root / "b.eml").symlink_to(elsewhere / "1.eml")
    with pytest.raises(InputError, match=r"b\.eml is a link to"):
        read(root, "mail")


@pytest.mark.parametrize("link", ["cur", "new", ".Junk", "Junk"])
def test_no_folder_of_a_maildir_leads_out_of_it(corpus, elsewhere, link):
    files = {
        f"{folder}{box}/{box}1": PLAIN for folder in ("", ".In/") for box in ("cur", "new") if folder + box != link
    }
    root = corpus(files, root="Maildir")
    (root / link).symlink_to(elsewhere / "cur" if link in ("cur", "new") else elsewhere)
    names, warned = read(root, "mail", labelled=False)
    assert len(names) == len(files)
    assert "1 link was not followed" in warned


@pytest.mark.parametrize(("link", "target"), [("a/self", "self"), ("a/again", "."), ("a/up", ".."), ("a/b", "../a/b")])
def test_a_link_that_leads_round_in_a_circle_is_left_out_with_a_warning(corpus, link, target):
    root = corpus({"a/1.txt": "x"})
    (root / link).symlink_to(target)
    with pytest.warns(ReadingWarning, match=rf"1 (file|link) .*{link}"):
        assert [document.id for document in read_corpus(root)] == ["a/1.txt"]


@pytest.mark.parametrize("number", [2, 12, 60])
def test_folders_that_link_to_each_other_take_time_in_proportion_to_the_links(corpus, number):
    root = corpus({f"c{i}/1.eml": PLAIN for i in range(number)})
    for i in range(number):
        for j in range(number):
            (root / f"c{i}" / f"to{j}").symlink_to(f"../c{j}")
    start = time.process_time()
    assert is_mail_corpus(root)
    assert is_store(root / "c0")
    for reader in ("folder", "mail"):
        names, warned = read(root, reader)
        assert len(names) == number
        assert f"{number * number:,}".replace(",", "") in warned
    assert time.process_time() - start < 5
