"""The scores by what they are of, for tests that run every one of a kind."""

from __future__ import annotations

from bayesloom.scoring.registry import scores

of_states = sorted(name for name, score in scores.items() if score.kinds == "discrete")
"""Scores of discrete variables."""
of_numbers = sorted(name for name, score in scores.items() if score.kinds == "continuous")
"""Scores of continuous variables."""
of_both = sorted(name for name, score in scores.items() if score.kinds == "any")
"""Scores of mixed tables."""
