"""The picture of a sweep, as a file."""

from pathlib import Path

from bitarm.api.simulate import Simulation
from bitarm.errors import ConfigError


def plot_simulation(result: Simulation, path: Path) -> None:
    """Draw a sweep into a file, whose ending names the format; ConfigError if it cannot be."""
    figure = result.plot()
    try:
        figure.savefig(path, dpi=150)
    except OSError as error:
        raise ConfigError(f"the plot cannot be written to {path}: {error.strerror}") from None
    except ValueError as error:
        raise ConfigError(f"the plot cannot be written to {path}: {error}") from None
