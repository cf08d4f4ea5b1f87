"""Price against confidence, unbounded rewards."""
