"""The same with all means shifted: no luck with the origin."""
