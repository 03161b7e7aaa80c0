"""Runs that go on: what a run that ended too early left, and which of it holds."""
