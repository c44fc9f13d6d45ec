"""Pictures as columns: boxes with words in them, and links from a column to the next.

What is to be seen, and in which order; `worldmodel.drawing.svg` puts it on paper.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

SWEEPS = 24


@dataclass(frozen=True, slots=True)
class Box:
    """A node. note: small words after the label. colour: of its edge; None for a plain one."""

    label: str
    note: str = ""
    colour: str | None = None


@dataclass(frozen=True, slots=True, order=True)
class Link:
    """An edge between the boxes of these keys. strength: from 0 to 1."""

    source: str
    target: str
    kind: str
    strength: float = 1.0


@dataclass(frozen=True, slots=True)
class Kind:
    """How links of a kind look, and what the legend says of them."""

    colour: str
    meaning: str
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """A heading, and boxes by key, from the top."""

    heading: str
    boxes: Mapping[str, Box]


@dataclass(frozen=True, slots=True)
class Picture:
    """Columns from left to right, the links between neighbours, and what stands around them."""

    title: str
    columns: tuple[Column, ...]
    links: tuple[Link, ...]
    kinds: Mapping[str, Kind]
    colours: Mapping[str, str] = field(default_factory=dict)
    """What the colours of boxes mean."""
    notes: tuple[str, ...] = ()


def untangled(picture: Picture) -> Picture:
    """The same with each column in an order in which fewer links cross.

    The barycentre heuristic (Sugiyama 1981): columns are sorted by the mean place of what they are linked
    with, back and forth, and the best order met is kept. Ties are broken by key, so it is deterministic.
    """
    orders = [sorted(column.boxes) for column in picture.columns]
    best, fewest = [list(order) for order in orders], _crossings(orders, picture.links)
    for sweep in range(SWEEPS):
        towards = range(1, len(orders)) if sweep % 2 == 0 else range(len(orders) - 2, -1, -1)
        for index in towards:
            beside = orders[index - 1 if sweep % 2 == 0 else index + 1]
            orders[index] = _by_barycentre(orders[index], beside, picture.links)
        crossings = _crossings(orders, picture.links)
        if crossings < fewest:
            best, fewest = [list(order) for order in orders], crossings
    columns = tuple(
        replace(column, boxes={key: column.boxes[key] for key in order})
        for column, order in zip(picture.columns, best, strict=True)
    )
    return replace(picture, columns=columns)


def _by_barycentre(order: Sequence[str], beside: Sequence[str], links: Iterable[Link]) -> list[str]:
    place = {key: (i + 0.5) / len(beside) for i, key in enumerate(beside)}
    own = {key: (i + 0.5) / len(order) for i, key in enumerate(order)}
    near: dict[str, list[float]] = {key: [] for key in order}
    for link in links:
        for mine, theirs in ((link.source, link.target), (link.target, link.source)):
            if mine in near and theirs in place:
                near[mine].append(place[theirs])
    mean = {key: sum(places) / len(places) if places else own[key] for key, places in near.items()}
    return sorted(order, key=lambda key: (mean[key], own[key], key))


def _crossings(orders: Sequence[Sequence[str]], links: Iterable[Link]) -> int:
    """How many pairs of links cross, counted by inversions between neighbouring columns."""
    total = 0
    links = list(links)
    for left, right in pairwise(orders):
        place, other = {k: i for i, k in enumerate(left)}, {k: i for i, k in enumerate(right)}
        ends = sorted(
            (place[x.source], other[x.target]) for x in links if x.source in place and x.target in other
        )
        seen = [0] * len(right)
        for _, target in ends:
            total += sum(seen[target + 1 :])
            seen[target] += 1
    return total
