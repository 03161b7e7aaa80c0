"""Secrets: the type of a setting that must never be shown, and what replaces it everywhere."""
