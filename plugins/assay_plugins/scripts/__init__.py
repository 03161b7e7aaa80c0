"""Built-in plugins that run scripts of users."""
