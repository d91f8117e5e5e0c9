"""Mail on an IMAP server: messages are judged, moved and flagged, and learnt from where their owner has moved them.

    password, connection    login
    folders, messages       names of folders; messages in batches, their flags, moves
    memory                  what was done before, on this machine
    visit                   one look at an account: the plan, and the events it yields
    sorting, learning       a folder judged; folders learnt from
    rounds                  both, again and again, woken by IDLE

IMAPClient (the extra ``imap``) is imported only where a connection is made.

Not public: CONTRIBUTING.md lists the public modules.
"""

__all__: list[str] = []
