"""How a long-lived process does: its figures for Prometheus, and whether it is well."""
