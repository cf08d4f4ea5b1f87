"""`bitarm` and `python -m bitarm`."""

import sys


def main() -> None:
    """Run the command line, or say what it needs."""
    try:
        from bitarm.cli.app import run
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("bitarm"):
            raise
        from bitarm.api.extras import install_line
        from bitarm.cli.exits import Exit

        line = f"bitarm: the command line needs {error.name}: {install_line('cli')}"
        print(line, file=sys.stderr)
        sys.exit(Exit.USAGE)
    except KeyboardInterrupt:  # while it loads; later the command line answers
        print("bitarm: interrupted", file=sys.stderr)
        sys.exit(130)
    sys.exit(run())


if __name__ == "__main__":
    main()
