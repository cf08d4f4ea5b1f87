"""Compiled twins of the core's quantizers and policies.

A kernel repeats the machines' floating-point operations in the same order, so on the same tape both
give the same symbols, means and decisions to the last bit; `tests/lockstep` holds them to it. The
formulas stay in the core: a kernel reads them from tables (`sim/tables.py`).
"""
