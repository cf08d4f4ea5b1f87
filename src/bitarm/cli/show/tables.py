"""How tables look on a terminal: no frame, a line under the head, titles at the left."""

from rich import box
from rich.console import RenderableType
from rich.table import Table

NARROW = 60  # screen columns below which a table leaves columns out, so that no figure is cut


def plain_table(
    *,
    title: str | None = None,
    title_style: str | None = None,
    caption: RenderableType | None = None,
    gap: int = 1,
) -> Table:
    """A table without rows or columns; `gap` is the room between two columns."""
    return Table(
        title=title,
        title_style=title_style,
        title_justify="left",
        caption=caption,  # type: ignore[arg-type]  # a Text will do
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, gap, 0, 0),
    )


def facts_table() -> Table:
    """For rows of a name and a value: the name is bold, the value may take several lines."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column()
    return grid
