"""What the tests of the whole system share: a real broker, and processes that they may kill."""

from brokers import broker, line

__all__ = ["broker", "line"]
