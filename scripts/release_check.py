"""The release checklist, as a program: says what is done and what is left.

python scripts/release_check.py             all steps that need no network
python scripts/release_check.py --install   also installs the wheel and its extras, from the index

It ends with 1 if anything is left. It builds sdist and wheel into build/release; it uploads nothing
and tags nothing.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import venv
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
OUT = ROOT / "build" / "release"
CONSUMER = """\
import bitarm

result = bitarm.identify({"a": float, "b": lambda: 1.0}, bounds=(0, 1), seed=1)
name: str | None = result.best_arm_name
samples: int = result.samples
wrong: str = result.samples  # type: ignore[assignment]
"""
"""A program of somebody else's, in which a type checker must find exactly one error."""
_NEEDED = ("bitarm/py.typed", "bitarm/problem.schema.json", "bitarm/cli/gateways.toml")


def main() -> int:
    """Go through the list."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--install", action="store_true", help="also install what was built")
    steps = list(_steps(installs=parser.parse_args().install))
    left = 0
    for title, step in steps:
        fault = step()
        left += fault is not None
        print(f"{'done' if fault is None else 'LEFT'}  {title}{f': {fault}' if fault else ''}")
    print(f"{len(steps) - left} of {len(steps)} done")
    if not left:
        version = _version()
        print(f"then: git tag -s v{version}; twine upload {OUT.relative_to(ROOT)}/*")
    return int(left > 0)


def _steps(*, installs: bool) -> Iterator[tuple[str, Callable[[], str | None]]]:
    yield "nothing is uncommitted", _clean
    yield "one version everywhere", _versions
    yield "the changelog has a dated section for it", _changelog
    yield "the package says who made it and where it lives", lambda: unnamed(_project())
    yield "the README reads on the package index", lambda: lost_links(_text("README.md"))
    yield "generated files are current", _generated
    yield "sdist and wheel are built", _built
    yield "twine finds nothing", _twine
    yield "the wheel has what it needs, and no more", _contents
    yield "the sdist has what the tests need", _sources
    yield "the documentation builds", _site
    if installs:
        yield "the wheel alone: import, an agent, no extras", _bare
        yield "the wheel is typed for others", _typed
        for extra in ("cli", "cli,sim", "cli,net", "cli,dashboard", "all"):
            yield f"the wheel with [{extra}]", lambda extra=extra: _extra(extra)  # type: ignore[misc]


def unnamed(project: Mapping[str, Any]) -> str | None:
    """What only those who publish can know: nothing in the tree makes up a host or a person."""
    faults = [
        f"authors: {author.get('name')} has no address"
        for author in project["authors"]
        if "email" not in author
    ]
    missing = {"Source", "Documentation", "Issues"} - set(project.get("urls", {}))
    if missing:
        faults.append(f"[project.urls] lacks {', '.join(sorted(missing))}")
    return f"set these before publishing: {'; '.join(faults)}" if faults else None


def lost_links(readme: str) -> str | None:
    """The index shows the README alone: there a relative link leads nowhere."""
    relative = re.findall(r"\]\((?!https://|#)([^)]+)\)", readme)
    if not relative:
        return None
    return f"{len(relative)} links are relative, such as {relative[0]}: begin them with the Source"


def _project() -> dict[str, Any]:
    project: dict[str, Any] = tomllib.loads(_text("pyproject.toml"))["project"]
    return project


def _text(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def _version() -> str:
    return str(_project()["version"])


def _run(*words: str | Path, cwd: Path = ROOT) -> str | None:
    """None if it succeeded, else its last lines."""
    done = subprocess.run(
        list(map(str, words)), cwd=cwd, capture_output=True, text=True, check=False
    )
    said = (done.stdout + done.stderr).strip().splitlines()
    return None if done.returncode == 0 else " / ".join(said[-3:]) or f"exit {done.returncode}"


def _listed(*words: str) -> list[str]:
    """The lines that a command prints."""
    return subprocess.run(
        words, cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()


def _clean() -> str | None:
    changed = _listed("git", "status", "--porcelain")
    return f"{len(changed)} files" if changed else None


def _versions() -> str | None:
    version = _version()
    others = {
        "src/bitarm/__init__.py": f'__version__ = "{version}"',
        "CITATION.cff": f"version: {version}",
    }
    wrong = [file for file, line in others.items() if line not in _text(file)]
    return f"{version} is not in {', '.join(wrong)}" if wrong else None


def _changelog() -> str | None:
    text = _text("CHANGELOG.md")
    dated = rf"^## {re.escape(_version())} \(\d{{4}}-\d\d-\d\d\)$"
    return None if re.search(dated, text, re.MULTILINE) else f"no '## {_version()} (date)'"


def _generated() -> str | None:
    """Make pages, schema and pictures anew, by the Python that runs this: nothing may change."""
    here = f"BIN={Path(sys.executable).parent}"
    fault = _run("make", "--assume-old=.venv/.dev", "generated", here)
    return fault or (_clean() and "`make generated` changes them")


def _built() -> str | None:
    shutil.rmtree(OUT, ignore_errors=True)
    return _run(sys.executable, "-m", "build", "--no-isolation", "--outdir", OUT)


def _twine() -> str | None:
    return _run(sys.executable, "-m", "twine", "check", "--strict", *sorted(OUT.iterdir()))


def _contents() -> str | None:
    with zipfile.ZipFile(_wheel()) as wheel:
        names = wheel.namelist()
    missing = [name for name in _NEEDED if name not in names]
    info = f"bitarm-{_version()}.dist-info/"
    stray = [name for name in names if not name.startswith(("bitarm/", info))]
    faults = [f"without {name}" for name in missing] + [f"stray {name}" for name in stray]
    return "; ".join(faults) or None


def _sources() -> str | None:
    with tarfile.open(next(OUT.glob("*.tar.gz"))) as sdist:
        tops = {name.split("/")[1] for name in sdist.getnames() if "/" in name}
    kept = _listed("git", "ls-files")
    missing = sorted({name.split("/")[0] for name in kept} - tops - {".ci"})
    return f"without {', '.join(missing)}" if missing else None


def _site() -> str | None:
    return _run(sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet")


def _wheel() -> Path:
    return next(OUT.glob("*.whl"))


def _environment(folder: str, *requirements: str) -> tuple[Path, str | None]:
    """An empty environment with the wheel in it."""
    venv.create(folder, with_pip=True)
    python = Path(folder) / "bin" / "python"
    return python, _run(python, "-m", "pip", "install", "--quiet", *requirements)


def _bare() -> str | None:
    with tempfile.TemporaryDirectory() as folder:
        python, fault = _environment(folder, str(_wheel()))
        here = Path(folder)
        program = CONSUMER.replace("wrong: str = result.samples", "assert name == 'b'")
        (here / "consumer.py").write_text(program, "utf-8")
        agent = "from bitarm import Agent; from bitarm.wire import decode; print(Agent, decode)"
        return (
            fault
            or _run(python, here / "consumer.py", cwd=here)
            or _run(python, "-c", agent, cwd=here)
        )


def _typed() -> str | None:
    with tempfile.TemporaryDirectory() as folder:
        python, fault = _environment(folder, str(_wheel()), "mypy")
        (Path(folder) / "consumer.py").write_text(CONSUMER, "utf-8")
        check = ("-m", "mypy", "--strict", "--warn-unused-ignores", "consumer.py")
        return fault or _run(python, *check, cwd=Path(folder))


_USED = {
    "cli": ("identify", "--seed", "1", "--json"),
    "cli,sim": ("simulate", "--arms", "bernoulli:0.9,0.2", "--trials", "20", "--seed", "1"),
    "cli,net": ("agent", "--help"),
    "cli,dashboard": ("dashboard", "--help"),
    "all": ("identify", "--seed", "1", "--link", "lorawan-eu868-dr0"),
}


def _extra(extra: str) -> str | None:
    with tempfile.TemporaryDirectory() as folder:
        python, fault = _environment(folder, f"bitarm[{extra}] @ {_wheel().as_uri()}")
        store = ("--store", f"{folder}/runs.sqlite") if _USED[extra][0] == "identify" else ()
        words = (python.parent / "bitarm", *_USED[extra], *store)
        return fault or _run(*words, cwd=Path(folder))


if __name__ == "__main__":
    sys.exit(main())
