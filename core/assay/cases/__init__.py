"""From inputs to a plan: which cases there are, and which will run."""
