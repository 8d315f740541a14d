"""Decide what is drawn, and how large."""
