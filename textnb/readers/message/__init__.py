"""Mail: the bytes of a message to a Document, and the tokens it gives beside its words.

Nothing is imported here: who reads no mail need not wait for it. ``textnb.readers`` has the public names.
"""
