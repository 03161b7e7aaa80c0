"""The journal: the lines of a run, written as they happen and read back."""
