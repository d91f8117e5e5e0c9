"""How much of a message is read."""

LONGEST_MESSAGE = 1 << 25
"""Bytes; the rest of a longer one is not read."""
