"""Built-in plugins that turn sources into suites."""
