"""Reports: which are asked for, what they are fed, where they are written."""
