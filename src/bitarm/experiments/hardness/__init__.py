"""Price against the gap of the best arm."""
