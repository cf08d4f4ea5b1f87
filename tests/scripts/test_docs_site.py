import sys
from pathlib import Path

import pytest
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

from docs_site import on_page_content

_TABLE = """<table><thead><tr><th>it</th><th>is</th></tr></thead>
<tbody><tr>\n<td>the <em>longest</em></td><td>a much longer cell</td></tr></tbody></table>"""


def _shown(html: str) -> str:
    config = MkDocsConfig()
    config.load_dict({"site_name": "of the test", "docs_dir": ".", "site_dir": "site"})
    file = File("page.md", "docs", "site", use_directory_urls=False)
    return on_page_content(html, Page(None, file, config), config, Files([]))


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("<code>a --big flag</code>", '<code>a <span class="flag">--big</span> flag</code>'),
        ("<code>--gap-prior</code>", '<code><span class="flag">--gap-prior</span></code>'),
        ("<code>e--2</code>", "<code>e--2</code>"),
        ("<code>core/a_b.py</code>", "<code>core/<wbr>a_b.py</code>"),
        ("<code>{run}/{agent}</code>", "<code>{run}/<wbr>{agent}</code>"),
        ("<code>1 / 2</code>", "<code>1 / 2</code>"),
        ("<pre><code>--a b/c</code></pre>", "<pre><code>--a b/c</code></pre>"),
        ("a_b and c/d --e", "a_b and c/d --e"),
    ],
)
def test_code_in_a_line_breaks_where_it_reads_on(written: str, shown: str) -> None:
    assert _shown(written) == shown


def test_code_in_a_table_also_breaks_after_underscores_and_words_do_not() -> None:
    row = "<tr><td><code>x/a_b_c</code></td><td>d_e</td></tr>"
    assert "<code>x/<wbr>a_<wbr>b_<wbr>c</code></td><td>d_e<" in _shown(f"<table>{row}</table>")


def test_a_table_says_how_long_its_first_cells_are() -> None:
    assert _shown(_TABLE).startswith('<table style="--first: 11ch"><thead>')


def test_a_short_cell_with_a_figure_stays_on_one_line() -> None:
    shown = _shown("<table><tr><td>20 of 20</td><td>of them all</td></tr></table>")
    assert "<td data-whole>20 of 20</td><td>of them all</td>" in shown


_LONG = "a cell of many words, more of them than a phone can show beside two other columns"
_WIDE = f"""<table><thead><tr><th>what</th><th>who &amp; "why"</th><th>how</th></tr></thead>
<tbody><tr><td>one</td><td>{_LONG}</td><td>–</td></tr></tbody></table>"""


def test_a_cell_of_a_wide_table_says_what_its_column_is_called() -> None:
    shown = _shown(_WIDE)
    assert "data-cards>" in shown
    assert f'<td data-column="who &amp; &quot;why&quot;">{_LONG}</td><td data-none>–</td>' in shown
    assert '<td data-column="what">one</td>' in shown


def test_a_table_of_two_columns_or_of_short_cells_is_no_pack_of_cards() -> None:
    assert "data-c" not in _shown(_WIDE.replace("<th>how</th>", "").replace("<td>–</td>", ""))
    assert "data-c" not in _shown(_WIDE.replace(_LONG, "few words"))
