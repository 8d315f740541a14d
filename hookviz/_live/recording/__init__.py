"""Record one real backward as events."""
