"""Price against sparsity: the α sweep."""
