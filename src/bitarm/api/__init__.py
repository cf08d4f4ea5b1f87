"""What a program calls: `identify`, `simulate`, problem files, runs over a broker."""
