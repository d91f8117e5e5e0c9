"""Logistic models: losses and solvers, evidence, naive Bayes features."""
