"""Where rewards come from, and how they reach an agent.

What all of them must satisfy is in `core/rewards.py`. By which words an [[arm]] table names them is
in `api/sources.py`, and there a new kind is listed.

callables, commands    a function in Python; a program that prints numbers
recorded, files        numbers that are there already; a column of a CSV file
draws                  a model's draws, for simulated arms
sensors                payloads that a sensor publishes by MQTT anyway
feeds                  how an agent that must not wait takes rewards from any of them
"""
