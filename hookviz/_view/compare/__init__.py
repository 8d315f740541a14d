"""Hold one pass against another."""
