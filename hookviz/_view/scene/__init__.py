"""Decide which things a picture shows, and how large they are."""
