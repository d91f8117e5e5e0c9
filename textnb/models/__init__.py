"""Models: pure functions from statistics to immutable scorers, one model per file."""
