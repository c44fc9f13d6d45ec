"""Pictures on paper: columns as SVG, by matplotlib. The same picture gives the same bytes."""

from __future__ import annotations

import io
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from rules.errors import WorldModelError
from worldmodel.drawing.columns import Box, Column, Kind, Link, Picture

ROW, BOX, PAD = 0.29, 0.21, 0.09
"""Inches: from box to box, height of a box, and around words."""
GAP, CROWD, MAX_GAP = 1.3, 0.03, 3.2
"""Inches between columns: at least, more for each link that passes, at most."""
MIN_WIDTH = 5.5
MARGIN, HEAD, LINE = 0.3, 0.95, 0.24
TITLE, FONT, SMALL = 11.0, 8.0, 6.5
MAX_LABEL = 48
"""Characters of a label or an entry of the legend; the rest is cut."""
INK, FAINT, PAPER = "#1f2328", "#6e7781", "#ffffff"


class _Place(NamedTuple):
    """Where a box stands: its left edge, its middle, its width."""

    x: float
    y: float
    width: float


def svg(picture: Picture) -> bytes:
    """The picture as an SVG file. `WorldModelError` where matplotlib is not installed."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise WorldModelError(
            "an SVG needs matplotlib: pip install 'worldmodel[report]' (a .graphml needs nothing)"
        ) from None
    settings: Any = {"svg.hashsalt": "worldmodel", "svg.fonttype": "path", "font.family": ["DejaVu Sans"]}
    with matplotlib.rc_context(settings):
        canvas = _Canvas(picture, Figure())
        canvas.draw()
        out = io.BytesIO()
        canvas.figure.savefig(out, format="svg", metadata={"Date": None, "Creator": "worldmodel"})
    return out.getvalue()


class _Canvas:
    """A figure whose unit is the inch, y upwards, and where things go on it."""

    def __init__(self, picture: Picture, figure: Any) -> None:
        self.picture, self.figure = picture, figure
        self.places: dict[str, _Place] = {}
        rows = max((len(column.boxes) for column in picture.columns), default=0)
        widths = [_column_width(column) for column in picture.columns]
        gaps = [_gap(picture, left, right) for left, right in pairwise(picture.columns)]
        spare = MIN_WIDTH - 2 * MARGIN - sum(widths) - sum(gaps)
        gaps = [gap + max(0.0, spare) / len(gaps) for gap in gaps]
        self.width = 2 * MARGIN + sum(widths) + sum(gaps)
        self.footer = self._footer()
        self.body = max(rows, 1) * ROW
        self.height = HEAD + self.body + MARGIN + LINE * len(self.footer) + MARGIN
        x = MARGIN
        self.starts = []
        for column, width, gap in zip(picture.columns, widths, [*gaps, 0.0], strict=True):
            self.starts.append(x)
            step = self.body / max(len(column.boxes), 1)
            for index, key in enumerate(column.boxes):
                self.places[key] = _Place(x, self.height - HEAD - (index + 0.5) * step, width)
            x += width + gap
        figure.set_size_inches(self.width, self.height)
        self.axes = figure.add_axes((0, 0, 1, 1))
        self.axes.set(xlim=(0, self.width), ylim=(0, self.height))
        self.axes.set_axis_off()
        figure.patch.set_facecolor(PAPER)

    def draw(self) -> None:
        """Everything, what lies below first."""
        self._text(MARGIN, self.height - 0.32, self.picture.title, TITLE, weight="bold")
        for column, x in zip(self.picture.columns, self.starts, strict=True):
            self._text(x, self.height - HEAD + 0.14, column.heading, FONT, colour=FAINT, style="italic")
        for link in sorted(self.picture.links, key=lambda link: link.strength):
            self._link(link, self.picture.kinds[link.kind])
        for column in self.picture.columns:
            for key, box in column.boxes.items():
                self._box(self.places[key], box)
        y = LINE * len(self.footer) + MARGIN / 2
        for line in self.footer:
            for x, entry in line:
                self._entry(x, y - LINE / 2, entry)
            y -= LINE

    def _text(self, x: float, y: float, words: str, size: float, colour: str = INK, **look: Any) -> None:
        look = {"va": "center", "ha": "left"} | look
        self.axes.text(x, y, _clean(words), fontsize=size, color=colour, parse_math=False, **look)

    def _box(self, place: _Place, box: Box) -> None:
        from matplotlib.colors import to_rgb
        from matplotlib.patches import FancyBboxPatch

        colour = box.colour or FAINT
        tint = [1 - 0.16 * (1 - part) for part in to_rgb(colour)]
        corner, size = (place.x, place.y - BOX / 2), (place.width, BOX)
        shape = FancyBboxPatch(
            corner, *size, boxstyle="round,pad=0,rounding_size=0.05", fc=tint, ec=colour, lw=0.8
        )
        self.axes.add_patch(shape)
        self._text(place.x + PAD, place.y - 0.01, _cut(box.label), FONT)
        if box.note:
            self._text(place.x + place.width - PAD, place.y - 0.01, box.note, SMALL, FAINT, ha="right")

    def _link(self, link: Link, kind: Kind) -> None:
        from matplotlib.patches import PathPatch, Polygon
        from matplotlib.path import Path

        start, end = self.places[link.source], self.places[link.target]
        x0, x1, tip = start.x + start.width, end.x, 0.09
        bend = 0.45 * (x1 - x0)
        points = [(x0, start.y), (x0 + bend, start.y), (x1 - tip - bend, end.y), (x1 - tip, end.y)]
        curve = Path(points, [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
        width, alpha = 0.4 + (1.0 if kind.dashed else 1.5) * link.strength, 0.3 + 0.55 * link.strength
        dashes = (0, (4, 2)) if kind.dashed else "solid"
        self.axes.add_patch(
            PathPatch(curve, fill=False, ec=kind.colour, lw=width, alpha=alpha, ls=dashes, capstyle="butt")
        )
        head = [(x1, end.y), (x1 - tip, end.y + 0.035), (x1 - tip, end.y - 0.035)]
        self.axes.add_patch(Polygon(head, fc=kind.colour, ec="none", alpha=alpha))

    def _entry(self, x: float, y: float, entry: _Entry) -> None:
        from matplotlib.lines import Line2D
        from matplotlib.patches import Rectangle

        if entry.kind is not None:
            dashes = (0, (4, 2)) if entry.kind.dashed else "solid"
            ends = [x, x + SAMPLE - PAD]
            self.axes.add_line(Line2D(ends, [y, y], color=entry.kind.colour, lw=1.6, ls=dashes))
        elif entry.colour is not None:
            self.axes.add_patch(Rectangle((x, y - 0.055), SAMPLE - PAD, 0.11, fc=entry.colour, ec="none"))
        indent = SAMPLE if entry.kind or entry.colour else 0.0
        self._text(x + indent, y - 0.01, entry.words, SMALL + 0.5, INK if indent else FAINT)

    def _footer(self) -> list[list[tuple[float, _Entry]]]:
        """The legend and the notes, as lines of entries with their places."""
        kinds = [_Entry(_cut(kind.meaning), kind=kind) for kind in self.picture.kinds.values()]
        colours = [_Entry(_cut(name), colour=colour) for name, colour in self.picture.colours.items()]
        notes = [[_Entry(words)] for note in self.picture.notes for words in self._wrapped(note)]
        return [line for group in (kinds, colours, *notes) for line in self._flowing(group)]

    def _flowing(self, entries: list[_Entry]) -> list[list[tuple[float, _Entry]]]:
        lines: list[list[tuple[float, _Entry]]] = []
        x = self.width
        for entry in entries:
            room = _measure(entry.words, SMALL + 0.5) + SAMPLE + 2 * PAD
            if x + room > self.width - MARGIN or not lines:
                lines.append([])
                x = MARGIN
            lines[-1].append((x, entry))
            x += room
        return lines

    def _wrapped(self, note: str) -> list[str]:
        lines = [""]
        for word in note.split():
            longer = f"{lines[-1]} {word}".strip()
            if _measure(longer, SMALL + 0.5) > self.width - 2 * MARGIN and lines[-1]:
                lines.append(word)
            else:
                lines[-1] = longer
        return lines


SAMPLE = 0.36
"""Inches of a sample in the legend, with the space after it."""


class _Entry(NamedTuple):
    """Words at the foot, with a sample of a link or of a colour."""

    words: str
    kind: Kind | None = None
    colour: str | None = None


def _gap(picture: Picture, left: Column, right: Column) -> float:
    passing = sum(link.source in left.boxes and link.target in right.boxes for link in picture.links)
    return min(GAP + CROWD * passing, MAX_GAP)


def _column_width(column: Column) -> float:
    words = [
        _measure(_cut(box.label), FONT) + (_measure(box.note, SMALL) + 2 * PAD if box.note else 0)
        for box in column.boxes.values()
    ]
    return max([*words, _measure(column.heading, FONT)], default=0.5) + 2 * PAD


def _cut(text: str) -> str:
    return text if len(text) <= MAX_LABEL else text[: MAX_LABEL - 1] + "…"


def _clean(words: str) -> str:
    """Without characters that no font has: control characters, lone surrogates."""
    return "".join(c if c.isprintable() else "�" for c in words)


@lru_cache(maxsize=65536)
def _measure(words: str, size: float) -> float:
    """The width of words, in inches."""
    from matplotlib.textpath import TextPath

    return float(TextPath((0, 0), _clean(words), size=size).get_extents().x1) / 72 if words.strip() else 0.0
