"""Watch the calls of modules and their hooks while a forward runs."""
