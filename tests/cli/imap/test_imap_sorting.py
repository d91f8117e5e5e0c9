"""textnb imap against a real server: what is moved, flagged, left alone."""

from mailbox_of_user import HAM, MARK, NEITHER, SPAM, Box, mail, rows

from textnb.mail.decision import mail_document

PLAN = ["class", "probability", "unsure", "destination", "date", "from", "reason", "subject"]


def test_a_dry_run_says_what_would_be_done_and_changes_nothing(imap, box, tmp_path, model):
    box.deliver(mail("pills", SPAM), mail("lunch", HAM), mail("what", NEITHER))
    before, content = box.everything(), model.read_bytes()
    done = imap(box, "--move", "迷惑=Junk", "--flag", "迷惑=$Junk", "--learn", "INBOX=ham")
    assert (done.code, rows(done)[0]) == (0, ["uid", *PLAN])
    assert [(row[0], row[1], row[3], row[4]) for row in rows(done)[1:3]] == [
        ("1", "迷惑", "no", "Junk"),
        ("2", "ham", "no", ""),
    ]
    assert rows(done)[3][3:5] == ["yes", ""]
    assert [row[8] for row in rows(done)[1:]] == ["pills", "lunch", "what"]
    assert [len(row[7].split()) for row in rows(done)[1:]] == [3, 3, 0]
    assert done.err == (
        "3 messages judged: 1 would go to Junk, 2 stay, 1 of them unsure; "
        "dry run, nothing was changed; use --apply to change the mailbox\n"
    )
    assert (box.everything(), model.read_bytes()) == (before, content)
    assert not (tmp_path / "state").exists()


def test_messages_are_moved_and_flagged_and_the_unsure_stay(imap, box):
    box.deliver(mail("pills", SPAM), mail("lunch", HAM), mail("what", NEITHER))
    actions = ["--move", "迷惑=Junk", "--flag", "迷惑=$Junk \\Flagged", "--flag", "ham=$NotJunk", "--apply"]
    done = imap(box, *actions)
    assert (done.code, done.out) == (0, "")
    assert done.err == "3 messages judged: 1 moved to Junk, 2 stay, 1 of them unsure\n"
    assert (box.subjects("Junk"), box.subjects()) == (["pills"], ["lunch", "what"])
    assert box.flags("Junk") == [{b"$Junk", rb"\Flagged", MARK}]
    assert box.flags() == [{b"$NotJunk", MARK}, {MARK}]  # and none is seen
    assert "0 messages judged" in imap(box, *actions).err
    assert "2 messages judged" in imap(box, *actions, "--again").err


def test_a_dry_run_without_anything_to_do_says_so(imap, box):
    box.deliver(mail("pills", SPAM))
    done = imap(box)
    assert (done.code, len(rows(done))) == (0, 2)
    assert "dry run, nothing was changed; --apply would do nothing: add --move CLASS=FOLDER" in done.err


def test_keywords_of_any_kind_do_no_harm(imap, box):
    box.deliver(mail("pills", SPAM), mail("lunch", HAM))
    box.client.select_folder("INBOX")
    box.client.add_flags([1, 2], ["2024", "NIL"])
    assert "1 moved to Junk, 1 stays" in imap(box, "--move", "迷惑=Junk", "--apply").err


def test_unsure_messages_go_where_they_are_told_to(imap, box):
    box.deliver(mail("what", NEITHER), mail("lunch", HAM))
    assert imap(box, "--unsure-to", "Lists/考え中", "--apply", "--quiet").err == ""
    assert (box.subjects("Lists/考え中"), box.subjects()) == (["what"], ["lunch"])


def test_folders_have_names_in_any_script_and_the_prefix_of_the_server(imap, dovecot):
    box = Box(dovecot, "prefixed")
    box.deliver(mail("pills", SPAM))
    assert imap(box, "--move", "迷惑=箱/迷惑 & more", "--apply").code == 0
    assert box.subjects("INBOX.箱.迷惑 & more") == ["pills"]
    box.deliver(mail("again", SPAM))
    assert imap(box, "--move", "迷惑=INBOX.箱.迷惑 & more", "--apply").code == 0
    assert box.subjects("INBOX.箱.迷惑 & more") == ["pills", "again"]
    box.client.logout()


def test_a_server_without_move_or_uidplus_leaves_expunging_to_the_user(imap, dovecot):
    box = Box(dovecot, "old")
    box.deliver(mail("pills", SPAM), mail("lunch", HAM))
    assert imap(box, "--move", "迷惑=Junk", "--apply").code == 0
    assert (box.subjects("Junk"), box.subjects()) == (["pills"], ["lunch"])
    box.client.select_folder("INBOX")
    assert len(box.client.search(["DELETED"])) == 1
    assert "0 messages judged" in imap(box, "--move", "迷惑=Junk", "--apply").err
    box.client.logout()


def test_a_folder_that_is_made_anew_is_known_by_its_messages(imap, box):
    box.client.create_folder("Work")
    lunch = mail("lunch", HAM)
    box.deliver(lunch, folder="Work")
    assert "1 message judged" in imap(box, "--folder", "Work", "--move", "迷惑=Junk", "--apply").err
    box.client.delete_folder("Work")
    box.client.create_folder("Work")  # another UIDVALIDITY, and flags are gone
    box.deliver(lunch, mail("new", HAM), folder="Work")
    assert "1 message judged" in imap(box, "--folder", "Work", "--move", "迷惑=Junk", "--apply").err


def test_a_long_message_is_judged_by_its_beginning(imap, box, monkeypatch):
    monkeypatch.setattr("textnb.mail.imap.messages.MAX_FETCHED_BYTES", 90)
    box.deliver(mail("pills", SPAM + "\r\n" + HAM * 1000), mail("short", HAM))
    assert [row[1] for row in rows(imap(box))[1:]] == ["迷惑", "ham"]


def test_a_message_that_cannot_be_judged_stays_and_is_tried_again(imap, box, monkeypatch):
    box.deliver(mail("bad", SPAM), mail("pills", SPAM))
    actions = ["--move", "迷惑=Junk", "--apply"]

    def read(raw):
        return 1 / 0 if b"Subject: bad" in raw else mail_document(raw)

    with monkeypatch.context() as patch:
        patch.setattr("textnb.mail.imap.sorting.mail_document", read)
        done = imap(box, *actions)
    assert done.code == 1
    assert "textnb: message 1 of INBOX is unchanged: division by zero\n" in done.err
    assert (box.subjects("Junk"), box.subjects()) == (["pills"], ["bad"])
    assert imap(box, *actions).code == 0
    assert box.subjects("Junk") == ["pills", "bad"]


def test_the_last_run_can_be_undone(imap, box):
    box.deliver(mail("pills", SPAM), mail("lunch", HAM), mail("what", NEITHER))
    actions = ["--move", "迷惑=Junk", "--flag", "迷惑=$Junk", "--flag", "ham=$NotJunk", "--apply"]
    assert imap(box, *actions).code == 0
    assert imap(box, *actions).code == 0  # changes nothing
    plan = imap(box, "--undo")
    assert [(row[4], row[8]) for row in rows(plan)[1:]] == [("INBOX", "pills"), ("INBOX", "lunch")]
    assert "2 messages would be put back" in plan.err
    done = imap(box, "--undo", "--apply")
    assert (done.code, done.err) == (0, "2 messages put back as before the last run\n")
    assert (box.subjects("Junk"), sorted(box.subjects())) == ([], ["lunch", "pills", "what"])
    assert box.flags() == [{MARK}] * 3
    assert "0 messages judged" in imap(box, *actions, "--learn", "INBOX=ham").err  # neither judged nor learnt
    assert "0 messages put back" in imap(box, "--undo", "--apply").err


def test_what_its_owner_has_moved_on_is_not_put_back(imap, box):
    box.deliver(mail("pills", SPAM), mail("more", SPAM))
    assert imap(box, "--move", "迷惑=Junk", "--apply").code == 0
    box.client.create_folder("Kept")
    box.move("more", "Junk", "Kept")
    assert "1 message put back" in imap(box, "--undo", "--apply").err
    assert (box.subjects(), box.subjects("Kept")) == (["pills"], ["more"])
