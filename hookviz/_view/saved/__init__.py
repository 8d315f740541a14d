"""Keep everything that a page without a kernel needs."""
