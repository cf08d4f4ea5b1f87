"""The command line: composes, computes nothing. Needs typer and rich (extra `cli`)."""
