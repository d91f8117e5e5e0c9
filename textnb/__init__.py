"""textnb: text classification with naive Bayes and its kin, Japanese first."""
