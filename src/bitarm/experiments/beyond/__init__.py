"""What the paper does not show: one file an experiment."""
