"""Save pages that need no kernel."""
