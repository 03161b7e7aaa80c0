"""Built-in plugins that are commands of the command line."""
