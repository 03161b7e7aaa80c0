"""Built-in plugins that stand around transports."""
