"""Bayesloom learns Bayesian network structure from data, and says how good the answer is."""

__version__ = "0.1.0"
