"""Plugins for assay, one of three kinds: an assertion, a reporter and a transport."""
