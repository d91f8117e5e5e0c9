"""textnb imap is taught by what its user moves, and by nothing else; however it is broken off."""

import pytest
from imap_lines import Relay
from mailbox_of_user import HAM, NEITHER, SPAM, mail

from textnb import TextClassifier
from textnb.mail.decision import mail_document
from textnb.mail.imap.memory import Memory


def learnt(model, *mails):
    classifier = TextClassifier.load(model)
    return [classifier.learnt_as(mail_document(message)) for message in mails]


def test_what_the_user_has_moved_is_learnt_and_what_textnb_has_moved_is_not(imap, box, model):
    pills, offer, lunch, what = mail("pills", SPAM), mail("offer", HAM), mail("lunch", SPAM), mail("what", NEITHER)
    actions = ["--move", "迷惑=Junk", "--learn", "Junk=迷惑", "--learn", "INBOX=ham", "--apply"]
    box.deliver(pills, offer, lunch, what)
    first = imap(box, *actions)
    assert "folder 'Junk' does not exist yet; nothing is learnt from it" in first.err
    assert imap(box, *actions).err == "0 messages judged: 0 stay\n"
    assert learnt(model, pills, offer, lunch, what) == [[], [], [], []]

    box.move("offer", "INBOX", "Junk")  # it was taken for good
    box.move("lunch", "Junk", "INBOX")  # it was taken for spam
    done = imap(box, *actions)
    assert "1 message that you moved to Junk, as 迷惑: 1 learnt" in done.err
    assert "1 message that you moved to INBOX, as ham: 1 learnt" in done.err
    assert "0 messages judged" in done.err
    assert learnt(model, pills, offer, lunch, what) == [[], ["迷惑"], ["ham"], []]
    assert (box.subjects(), box.subjects("Junk")) == (["what", "lunch"], ["pills", "offer"])

    content = model.read_bytes()
    assert imap(box, *actions).err == "0 messages judged: 0 stay\n"
    assert model.read_bytes() == content
    box.move("offer", "Junk", "INBOX")  # the user thinks better of it
    assert "1 message that you moved to INBOX, as ham: 1 moved from another class" in imap(box, *actions).err
    assert learnt(model, offer) == [["ham"]]


def test_another_delivery_of_what_is_in_junk_is_no_lesson(imap, box, model):
    pills, actions = (
        mail("pills", SPAM),
        ["--move", "迷惑=Junk", "--learn", "Junk=迷惑", "--learn", "INBOX=ham", "--apply"],
    )
    box.deliver(pills)
    assert imap(box, *actions).code == 0
    box.deliver(pills, mail("lunch", HAM))
    assert imap(box, *actions).err == "2 messages judged: 1 moved to Junk, 1 stays\n"
    assert (box.subjects(), box.subjects("Junk"), learnt(model, pills)) == (["lunch"], ["pills", "pills"], [[]])


def test_what_was_in_a_folder_before_is_learnt_once(imap, box, model):
    box.client.create_folder("Archive")
    box.deliver(*(mail(f"old {number}", HAM) for number in range(3)), folder="Archive")
    would = imap(box, "--learn", "Archive=ham")
    assert "3 messages that you moved to Archive would be learnt as ham" in would.err
    before = box.everything()
    assert "as ham: 3 learnt" in imap(box, "--learn", "Archive=ham", "--apply").err
    assert "learnt" not in imap(box, "--learn", "Archive=ham", "--apply").err
    assert box.everything() == before


def test_another_machine_neither_judges_again_nor_learns_what_the_first_has_moved(
    imap, box, model, tmp_path, monkeypatch
):
    pills = mail("pills", SPAM)
    box.deliver(pills, mail("lunch", HAM))
    actions = ["--move", "迷惑=Junk", "--learn", "Junk=迷惑", "--learn", "INBOX=ham", "--apply"]
    assert imap(box, *actions).code == 0
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "other"))
    assert imap(box, *actions).err == "0 messages judged: 0 stay\n"
    assert learnt(model, pills) == [[]]


@pytest.mark.parametrize("killed", [False, True])
@pytest.mark.parametrize(("word", "heard"), [(b" MOVE ", False), (b" MOVE ", True), (b" STORE ", True)])
def test_a_run_that_is_cut_off_loses_and_doubles_nothing(imap, box, model, monkeypatch, word, heard, killed):
    mails = [mail("pills", SPAM), mail("lunch", HAM), mail("more pills", SPAM)]
    box.deliver(*mails)
    save = Memory.save
    actions = ["--move", "迷惑=Junk", "--learn", "Junk=迷惑", "--learn", "INBOX=ham", "--apply"]
    with Relay(box.server.plain, word, heard=heard) as relay, monkeypatch.context() as patch:
        patch.setattr(Memory, "save", lambda memory: None if killed and relay.cuts else save(memory))
        done = imap(box, *actions, port=relay.port)
        assert relay.cuts == 1
    assert (done.code, done.out) == (1, "")
    assert done.err.count("\n") == 2  # that Junk is not there yet, and this
    assert f"lost the connection to 127.0.0.1:{relay.port}" in done.err
    for _ in range(2):
        assert imap(box, *actions).code == 0
        assert (sorted(box.subjects("Junk")), box.subjects()) == (["more pills", "pills"], ["lunch"])
    assert learnt(model, *mails) == [[], [], []]


def test_the_memory_holds_no_words_of_the_mail(imap, box, tmp_path):
    box.deliver(mail("pills", SPAM), mail("lunch", HAM), mail("what", NEITHER))
    imap(box, "--move", "迷惑=Junk", "--learn", "Junk=迷惑", "--learn", "INBOX=ham", "--apply")
    box.move("lunch", "INBOX", "Junk")
    imap(box, "--move", "迷惑=Junk", "--learn", "Junk=迷惑", "--learn", "INBOX=ham", "--apply")
    files = [path for path in (tmp_path / "state").rglob("*") if path.is_file()]
    content = "".join(path.read_text(encoding="utf-8") for path in files)
    assert "INBOX" in content and "Junk" in content
    assert not [word for word in (*f"{SPAM} {HAM} {NEITHER}".split(), "pills", "lunch", "what") if word in content]
