"""The dashboard's files: what others wrote is unchanged; what is said of widths is true."""

import hashlib
import re
from pathlib import Path

import bitarm.dashboard
from bitarm.core.evidence.sub_gaussian import SubGaussianEvidence
from bitarm.core.widths import WIDTHS

ASSETS = Path(bitarm.dashboard.__file__).parent / "assets"
VENDOR = ASSETS / "vendor"

# npm's d3@7.9.0, a tarball whose integrity is
# sha512-e1U46jVP+w7Iut8Jt8ri1YsPOvFpg46k+K8TpCb0P+zjCkjkPnV7WzfDJzMHy1LnA+wj5pLT1wjO901gLXeEhA==
VERSION = "7.9.0"
PUBLISHED = {  # SHA-256 of the files in it: dist/d3.min.js and LICENSE
    "d3.min.js": "f2094bbf6141b359722c4fe454eb6c4b0f0e42cc10cc7af921fc158fceb86539",
    "d3.LICENSE": "3e6849627f74ff73c257a3ae1efb574015d94fc1035c05ec3c15805165efcbc4",
}


def test_what_is_vendored_is_what_was_published() -> None:
    found = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in VENDOR.iterdir()}
    assert found == PUBLISHED


def test_d3_says_its_version() -> None:
    first = (VENDOR / "d3.min.js").read_text(encoding="utf-8").splitlines()[0]
    assert first.startswith(f"// https://d3js.org v{VERSION} ")


def test_what_is_said_of_why_an_option_falls_is_true_of_every_width() -> None:
    """A width that bounds every arm's own mean is drawn as intervals, and no other is.

    Of the others all but one draw half a lead: a radius of evidence is more (`Leads.radius`).
    """
    notes = (ASSETS / "notes.js").read_text("utf-8")
    (listed,) = re.findall(r"(?s)const WIDTHS = \{(.*?)\};", notes)
    named = dict(re.findall(r'([\w-]+)"?: "(\w+)"', listed))
    intervals = {name: "intervals" for name, width in WIDTHS.items() if not width.of_pairs}
    assert named == intervals | {SubGaussianEvidence.name: "evidence"}
