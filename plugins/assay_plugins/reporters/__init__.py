"""Built-in plugins that write reports."""
