"""Carrying cases out: one attempt, and which comes next."""
