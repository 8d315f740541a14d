"""Turn plain records into words and pictures; imports neither torch nor Jupyter."""
