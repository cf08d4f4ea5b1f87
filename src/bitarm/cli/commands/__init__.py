"""The commands of the program, one module each: `add_to` adds a command to the program.

A new one is a module here and its name in `COMMANDS` (`cli/app.py`).
"""
