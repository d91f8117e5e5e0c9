"""Models: pure functions from statistics to immutable scorers, one model a file."""
