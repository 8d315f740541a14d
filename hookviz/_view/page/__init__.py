"""Put together the state of the page."""
