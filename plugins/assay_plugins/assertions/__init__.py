"""Built-in plugins that judge answers."""
