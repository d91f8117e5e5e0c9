"""A mailbox on an IMAP server: messages judged, moved, flagged, and learnt from where their owner has moved them.

    password, connection    the way in; idling: a command that IMAPClient leaves half done
    folders, messages       what is there: names of folders, messages in batches
    memory                  what was done before, on this machine
    moving                  flags, and messages from folder to folder
    visit, sorting, copies  a folder judged
    correcting              folders learnt from
    rounds, watching        both, again and again

IMAPClient (the extra ``imap``) is imported where a connection is made, and nowhere else.
"""
