"""One hypothesis profile for all tests: repeatable, and patient with a slow shared machine."""

from hypothesis import settings

settings.register_profile("bitarm", deadline=None, derandomize=True)
settings.load_profile("bitarm")
