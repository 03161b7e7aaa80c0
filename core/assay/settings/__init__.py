"""Settings: what can be set, where it is read from, which source wins."""
