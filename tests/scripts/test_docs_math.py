import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

from docs_math import typeset


@pytest.mark.parametrize(
    ("plain", "html"),
    [
        ("t_i pulls", "t<sub>i</sub> pulls"),
        ("μ̃_{j,i−1}", "μ̃<sub>j,i−1</sub>"),
        ("2^−53", "2<sup>−53</sup>"),
        ("2^{−B}(U'_n + U_{n−1})", "2<sup>−B</sup>(U'<sub>n</sub> + U<sub>n−1</sub>)"),
        ("Σ_{n=2}^{N} x", "Σ<sub>n=2</sub><sup>N</sup> x"),
        ("(1 + 2/2^B)", "(1 + 2/2<sup>B</sup>)"),
        ("e⁺_j(m; λ_k) and cost_k", "e⁺<sub>j</sub>(m; λ<sub>k</sub>) and cost<sub>k</sub>"),
        ("its 2^m_n cells", "its 2<sup>m<sub>n</sub></sup> cells"),
    ],
)
def test_letters_get_their_indices(plain: str, html: str) -> None:
    assert typeset(plain) == html


@pytest.mark.parametrize(
    "text",
    [
        "`t_i` and ``a_b``",
        "```python\nx_i = 2^3\n```\n",
        "~~~\n$x$\n~~~\n",
        "text\n\n    e^x = 1 + x_1\n\ntext",
        "[a](evidence.md#t_i) [b](https://x.example/a_b)",
        "<!-- t_i -->",
        "payload_bits kappa_first max_ samples_at_most",
        "it costs $5 and $6",
        '<img src="a_b.svg">',
    ],
)
def test_code_links_and_words_stay_as_they_are(text: str) -> None:
    assert typeset(text) == text


def test_a_hat_stands_above_its_letter() -> None:
    hat, tilde = (typeset(rf"${accent} x$") for accent in (r"\hat", r"\tilde"))
    assert hat.replace("0005E", "0007E").count("<mover>") == tilde.count("<mover>") == 1
    assert "accent" not in hat


def test_latex_becomes_mathml() -> None:
    inline = typeset(r"a radius $\frac{a_1}{b}$ here")
    assert inline.startswith("a radius <math")
    assert "<mfrac>" in inline
    assert "$" not in inline
    shown = typeset("so\n\n$$\nx \\le y\n$$\n")
    assert '<div class="formula"><math' in shown
    assert 'display="block"' in shown


def test_bars_of_a_modulus_have_no_space_of_their_own() -> None:
    assert typeset("$|x| \\le 1$").count('lspace="0" rspace="0">&#x0007C;') == 2


def test_the_end_of_a_proof_stays_with_its_last_word() -> None:
    assert typeset("as above.\n∎") == "as above.\N{NO-BREAK SPACE}∎"
