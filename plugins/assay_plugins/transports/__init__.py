"""Built-in plugins that reach agents."""
