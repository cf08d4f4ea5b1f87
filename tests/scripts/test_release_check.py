"""What a release lacks is said: who and where, and links that the package index cannot follow."""

import sys
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

from release_check import lost_links, unnamed

_URLS = {name: f"https://{name}.invalid" for name in ("Source", "Documentation", "Issues")}
_AUTHOR = {"name": "Ada", "email": "ada@example.invalid"}


def test_a_package_with_authors_and_addresses_lacks_nothing() -> None:
    assert unnamed({"authors": [_AUTHOR], "urls": _URLS}) is None


def test_what_is_missing_is_named() -> None:
    project: dict[str, Any] = {"authors": [{"name": "maintainers"}], "urls": {"Source": "…"}}
    said = unnamed(project)
    assert said is not None
    assert "maintainers has no address" in said
    assert "lacks Documentation, Issues" in said


def test_a_package_without_urls_lacks_all_of_them() -> None:
    assert "Documentation, Issues, Source" in (unnamed({"authors": [_AUTHOR]}) or "")


def test_relative_links_are_counted() -> None:
    text = "[a](https://a.invalid) [b](#b) ![c](docs/c.svg) [d](LICENSE)"
    assert (lost_links(text) or "").startswith("2 links are relative, such as docs/c.svg")


def test_whole_links_are_not() -> None:
    assert lost_links("[a](https://a.invalid/x) and [b](#b)") is None
