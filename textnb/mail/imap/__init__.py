"""A mailbox on an IMAP server: messages judged, moved, flagged, and learnt from where their owner has moved them.

    password, connection    the way in
    folders, messages       what is there: names of folders, messages in batches
    memory                  what was done before, on this machine
    moving                  flags, and messages from folder to folder
    account, sorting, correcting, watching   a folder judged, folders learnt from, both again and again

IMAPClient (the extra ``imap``) is imported where a connection is made, and nowhere else.
"""
