"""A mailbox on a server, as its owner uses it, and what is in it."""

from dovecot import PASSWORD

MARK = b"$TextnbSeen"
SPAM, HAM, NEITHER = "安い薬 薬 安い", "昼食 会議 昼食", "zzz"


def mail(subject, text):
    return f"Subject: {subject}\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n{text}\r\n".encode()


class Box:
    """A mailbox as its owner uses it."""

    def __init__(self, server, user):
        from imapclient import IMAPClient

        self.server, self.user = server, user
        self.client = IMAPClient("localhost", server.plain, ssl=False, timeout=10)
        self.client.plain_login(user, PASSWORD)

    def deliver(self, *mails, folder="INBOX"):
        for message in mails:
            self.client.append(folder, message)

    def fetched(self, folder, item):
        if not self.client.folder_exists(folder):
            return []
        self.client.select_folder(folder, readonly=True)
        uids = self.client.search(["UNDELETED"])
        return [data[item] for _, data in sorted(self.client.fetch(uids, [item.replace(b"[]", b".PEEK[]")]).items())]

    def subjects(self, folder="INBOX"):
        return [body.split(b"\r\n")[0].removeprefix(b"Subject: ").decode() for body in self.fetched(folder, b"BODY[]")]

    def flags(self, folder="INBOX"):
        return [set(flags) - {rb"\Recent"} for flags in self.fetched(folder, b"FLAGS")]

    def move(self, subject, source, target):
        self.client.select_folder(source)
        self.client.move(self.client.search(["SUBJECT", subject]), target)

    def everything(self):
        """All that can be asked without changing it."""
        folders = [name for _, _, name in self.client.list_folders()]
        status = {
            name: self.client.folder_status(name, ["MESSAGES", "RECENT", "UIDNEXT", "UNSEEN"]) for name in folders
        }
        return {name: (status[name], self.fetched(name, b"BODY[]"), self.flags(name)) for name in folders}


def rows(done):
    return [line.split("\t") for line in done.lines]
