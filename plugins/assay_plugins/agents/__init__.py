"""Built-in plugins that say what a folder is."""
