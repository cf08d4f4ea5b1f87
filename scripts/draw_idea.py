"""Draws the pictures of docs/idea.md: fleet, seam, question and challenge, in docs/pictures.

python scripts/draw_idea.py
"""

from pathlib import Path

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
INK, SOFT, TEAL, WARM, PAPER = "#22303c", "#5d6b78", "#00796b", "#b55500", "#f7f9fa"


def main() -> None:
    """Write all of them."""
    FOLDER.mkdir(exist_ok=True)
    for name, drawn in {
        "fleet": fleet(),
        "seam": seam(),
        "question": question(),
        "challenge": challenge(),
    }.items():
        (FOLDER / f"{name}.svg").write_text(drawn, "utf-8")


def text(x: float, y: float, said: str, *, size: int = 15, fill: str = INK, **more: str) -> str:
    """Words at a place; `anchor` and `weight` as in SVG."""
    anchor, weight = more.get("anchor", "start"), more.get("weight", "400")
    return (
        f'<text x="{x}" y="{y}" font-size="{size}" fill="{fill}" text-anchor="{anchor}" '
        f'font-weight="{weight}">{said}</text>'
    )


def line(x1: float, y1: float, x2: float, y2: float, color: str = INK, *, width: float = 2) -> str:
    """A straight line."""
    return (
        f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{color}" stroke-width="{width}" '
        'stroke-linecap="round"/>'
    )


def dashed(x1: float, y1: float, x2: float, y2: float, color: str = SOFT) -> str:
    """A straight line of dashes."""
    return line(x1, y1, x2, y2, color).replace("/>", ' stroke-dasharray="4 5"/>')


def arrow(x1: float, y1: float, x2: float, y2: float, color: str = INK) -> str:
    """A line with a head at its second end."""
    marked = f' marker-end="url(#head-{color[1:]})"/>'
    return line(x1, y1, x2, y2, color).replace("/>", marked)


def box(
    x: float, y: float, width: float, height: float, color: str = INK, fill: str = "#fff"
) -> str:
    """A rounded box."""
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="8" fill="{fill}" '
        f'stroke="{color}" stroke-width="2"/>'
    )


def interval(low: float, mean: float, high: float, y: float, color: str) -> str:
    """An interval with its mean, as the live table draws it."""
    return (
        line(low, y, high, y, color, width=4)
        + line(low, y - 9, low, y + 9, color, width=3)
        + line(high, y - 9, high, y + 9, color, width=3)
        + f'<circle cx="{mean}" cy="{y}" r="7" fill="{color}"/>'
    )


def sheet(width: int, height: int, label: str, *parts: str) -> str:
    """A whole picture on a light ground, readable on a dark page too."""
    heads = "".join(
        f'<marker id="head-{color[1:]}" markerWidth="9" markerHeight="9" refX="7" refY="4" '
        f'orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="{color}"/></marker>'
        for color in (INK, SOFT, TEAL, WARM)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="{label}" font-family="system-ui, sans-serif"><defs>{heads}</defs>'
        f'<rect width="100%" height="100%" rx="10" fill="{PAPER}"/>{"".join(parts)}</svg>\n'
    )


def fleet() -> str:
    """Agents with many rewards, a learner with few bits."""
    parts = [
        box(560, 120, 190, 100, TEAL),
        text(655, 160, "learner", size=19, anchor="middle", weight="700"),
        text(655, 188, "names the best arm", size=14, anchor="middle"),
    ]
    for row, (name, bits) in enumerate((("north", "10"), ("south", "6"), ("tower", "11"))):
        y = 40 + row * 100
        parts += [
            box(190, y, 160, 62),
            text(270, y + 27, f"agent {name}", size=16, anchor="middle", weight="600"),
            text(270, y + 48, "count, sum", size=13, fill=SOFT, anchor="middle"),
            arrow(100, y + 31, 186, y + 31, SOFT),
            text(22, y + 26, "rewards", size=14, fill=SOFT),
            text(22, y + 45, "0.93 0.88 …", size=12, fill=SOFT),
            arrow(354, y + 22, 554, 150 + row * 14, WARM),
            arrow(554, 166 + row * 14, 356, y + 42, SOFT),
            text(
                372,
                y + (74 if row == 2 else 14),
                f"{bits} bits in all",
                size=13,
                fill=WARM,
                weight="600",
            ),
        ]
    parts.append(text(480, 322, "few bits up, whole questions down", size=14, fill=INK))
    return sheet(780, 345, "Agents measure; a learner asks and gets a few bits", *parts)


def seam() -> str:
    """Radius = sampling width + quantizer error."""
    return sheet(
        810,
        270,
        "Radius = sampling width + quantizer error",
        text(30, 40, "true mean μ", fill=SOFT),
        dashed(340, 20, 340, 210),
        text(346, 34, "unknown", size=13, fill=SOFT),
        interval(270, 420, 570, 85, TEAL),
        text(30, 90, "agent: mean of its rewards"),
        text(580, 90, "± sampling width", fill=TEAL, weight="600"),
        dashed(420, 85, 455, 150, WARM),
        interval(270, 455, 640, 150, WARM),
        text(30, 155, "learner: mean as it was told"),
        text(650, 155, "± width + error", fill=WARM, weight="600"),
        line(455, 178, 605, 178, TEAL, width=6),
        line(605, 178, 640, 178, WARM, width=6),
        text(530, 200, "width", size=13, fill=TEAL, anchor="middle"),
        text(622, 200, "error", size=13, fill=WARM, anchor="middle"),
        text(30, 245, "If the first holds μ, so does the second: few bits make it longer only."),
    )  # fmt: skip


def question() -> str:
    """What a message says: in which bin the mean lies now."""
    low, step = 250, 70
    bins = []
    for number in range(4):
        x = low + number * step
        bins += [
            f'<rect x="{x}" y="110" width="{step}" height="36" fill="'
            + ("#ffe0b2" if number == 2 else "#fff")
            + f'" stroke="{INK}" stroke-width="1.5"/>',
            text(x + step / 2, 134, f"{number:02b}", anchor="middle", weight="600"),
        ]
    return sheet(
        780,
        250,
        "A question cuts the likely range into bins; the answer is the number of one",
        text(30, 50, "what the learner held"),
        interval(low, low + 140, low + 280, 46, SOFT),
        dashed(low, 60, low, 106),
        dashed(low + 280, 60, low + 280, 106),
        text(30, 134, "the question: four bins"),
        *bins,
        text(30, 186, "the agent's mean is here"),
        f'<circle cx="{low + 165}" cy="181" r="7" fill="{TEAL}"/>',
        dashed(low + 165, 172, low + 165, 148, TEAL),
        arrow(low + 300, 128, low + 380, 128, WARM),
        text(low + 392, 134, "10", size=22, fill=WARM, weight="700"),
        text(low + 392, 156, "two bits", size=13, fill=WARM),
        text(30, 230, "All that the answer depends on is in the question: no history is kept."),
    )  # fmt: skip


def challenge() -> str:
    """The leader goes ahead; the others weigh themselves and give up."""
    rows = (
        ("tower", 620, "leads: goes ahead, tells an edge", TEAL, ""),
        ("north", 620, "challenged: gets as far, still in", INK, "1 …"),
        ("south", 330, "challenged: beaten", SOFT, "0"),
        ("silo", 290, "challenged: beaten", SOFT, "0"),
    )
    parts = [text(120, 34, "pulls of each arm", size=14, fill=SOFT), arrow(250, 29, 700, 29, SOFT)]
    for row, (name, end, said, color, bit) in enumerate(rows):
        y = 70 + row * 52
        ahead = end > 500
        x, anchor = (end - 10, "end") if ahead else (end + 14, "start")
        parts += [
            text(30, y + 5, name, weight="600", fill=color),
            line(110, y, end, y, color, width=8),
            text(x, y - 10 if ahead else y + 5, said, size=13, fill=color, anchor=anchor),
        ]
        if bit:
            parts.append(text(744, y + 6, bit, size=20, fill=WARM, weight="700", anchor="end"))
    parts += [
        dashed(620, 60, 620, 250, TEAL),
        text(
            612, 268, "the leader's evidence, told to the others", size=13, fill=TEAL, anchor="end"
        ),
        text(744, 268, "bits sent", size=13, fill=WARM, anchor="end"),
    ]
    return sheet(780, 290, "The leader goes ahead, the beaten say so in one bit", *parts)


if __name__ == "__main__":
    main()
