"""Several files of results put together, as if they were of one run."""
