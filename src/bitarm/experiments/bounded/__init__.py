"""Price against confidence, bounded rewards."""
