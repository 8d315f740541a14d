"""Draw SVG."""
