"""The explorer as a Jupyter widget."""
