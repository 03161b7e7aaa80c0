"""Which plugins are installed, and how they are loaded and asked."""
