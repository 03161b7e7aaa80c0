"""Figures: of a case over its attempts, and of a run over its cases."""
