"""Formulas of the documentation, typeset without a script or a font from elsewhere.

`$…$` and `$$…$$` hold LaTeX and become MathML, which browsers draw themselves. A letter with an
index in plain text (μ̃_{j,i}, 2^−B) gets a subscript or a superscript. The mark that ends a proof
stays on the line of its last word. Code is left alone.
"""

import re

from latex2mathml.converter import convert

_CODE = re.compile(
    r"""(
      ^(?P<fence>[ ]*(?:```+|~~~+)).*?^(?P=fence)[ ]*$   # a fenced block
    | (?:(?<=\n\n)|\A)(?:[ ]{4}[^\n]*\n|\n)+             # an indented one
    | (?P<ticks>`+).+?(?P=ticks)                         # code in a line
    | <!--.*?-->
    | \]\([^)\s]*\)                                      # where a link goes
    | <[a-z/][^>]*>
    )""",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
_DISPLAY = re.compile(r"\$\$(.+?)\$\$", re.DOTALL)
_INLINE = re.compile(r"(?<![\\$\w])\$([^\s$](?:[^$\n]*[^\s$])?)\$(?![\w$])")
_NOT_A_PATH = r"(?<![\w`.\-\\])(?:(?<!/)|(?<=[\d)]/))"  # a slash after a number is a fraction's
_LETTER = (
    _NOT_A_PATH + r"(?:[A-Za-zΑ-Ωα-ω]|\d+|log|ln|cost|hurdle|above|below)[\u0300-\u036f]*['′⁺⁻]?"
)
_INDEX = r"_(?:\{[^{}]+\}|[A-Za-z0-9α-ω][⁺⁻]?(?![A-Za-z0-9]))"
_POWER = r"\^(?:\{[^{}]+\}|[−-]?\d+|[A-Za-zα-ω](?:_[a-z])?(?![A-Za-z0-9]))"
_TOKEN = re.compile(rf"({_LETTER})((?:{_INDEX}|{_POWER})+)")
_PART = re.compile(rf"({_INDEX})|({_POWER})")
_QED = re.compile(r"\s+∎")
_BAR = '<mo stretchy="false">&#x0007C;</mo>'
_TIGHT_BAR = '<mo stretchy="false" lspace="0" rspace="0">&#x0007C;</mo>'
"""A browser takes the bars of |x| for operators, and sets spaces around them unless told."""


def typeset(markdown: str) -> str:
    """The page with its formulas as HTML, and everything in code as it was."""
    pieces, end = [], 0
    for code in _CODE.finditer(markdown):
        pieces.append(_formulas(markdown[end : code.start()]))
        pieces.append(code[0])
        end = code.end()
    pieces.append(_formulas(markdown[end:]))
    return "".join(pieces)


def _formulas(text: str) -> str:
    kept: list[str] = []

    def keep(html: str) -> str:
        kept.append(html)
        return f"\x02{len(kept) - 1}\x03"  # so that no later step looks into it

    text = _DISPLAY.sub(lambda found: keep(_display(found[1])), text)
    text = _INLINE.sub(lambda found: keep(_mathml(found[1])), text)
    text = _QED.sub("\N{NO-BREAK SPACE}∎", text)
    text = _TOKEN.sub(lambda found: found[1] + _PART.sub(_raised, found[2]), text)
    return re.sub("\x02(\\d+)\x03", lambda found: kept[int(found[1])], text)


def _display(latex: str) -> str:
    return f'<div class="formula">{_mathml(latex.strip(), "block")}</div>'


def _mathml(latex: str, display: str = "inline") -> str:
    """With bars that stand tight; without the mark of an accent, for which Chromium draws a hat
    into its letter.
    """
    found = convert(latex, display=display).replace(_BAR, _TIGHT_BAR)
    return found.replace('<mover accent="true">', "<mover>")


def _raised(part: re.Match[str]) -> str:
    tag = "sub" if part[1] else "sup"
    inner = part[0][1:].removeprefix("{").removesuffix("}")
    nested = re.sub(r"_([A-Za-z0-9])", r"<sub>\1</sub>", inner)
    return f"<{tag}>{nested}</{tag}>"
