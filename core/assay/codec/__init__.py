"""JSON to model and back: the one place where faults of a file become messages."""
