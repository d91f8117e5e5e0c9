"""Models that join the scores of others."""
