"""What drives the machines: one process, or services over a broker. Decides nothing itself."""
