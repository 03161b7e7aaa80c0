"""The routes of §1.2."""
