"""The bounded figure with a σ that is valid."""
