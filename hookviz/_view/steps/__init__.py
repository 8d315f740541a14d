"""Turn events into steps: what changes on screen."""
