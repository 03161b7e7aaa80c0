"""The built-in plugins of assay: a folder per kind, a module per plugin."""
