"""Price against the bits of a message: the B sweep."""
