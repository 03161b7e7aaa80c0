"""Carrying tasks out: in this process, or in another one that was told how by a blueprint."""
