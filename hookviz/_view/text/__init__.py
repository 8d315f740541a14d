"""Hold text apart from its language; write and measure it."""
