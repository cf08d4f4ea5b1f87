"""The commands of the program, one module each: `add_to` adds a command to the program."""
