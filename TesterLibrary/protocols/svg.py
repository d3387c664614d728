# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Draws a table's states as a picture: an arrow for each transition, from the first state downwards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from xml.sax.saxutils import escape

from ..model.protocol import Protocol
from .diagram import Edge, edges

_WIDTH, _HEIGHT = 140, 34  # size of a state's box
_ACROSS, _DOWN = 230, 120  # from one state to the next
_MARGIN = 40
_BEND = 34  # distance between an arrow and the one in the opposite direction
_STYLE = (
    "svg{background:#fff}"
    "text{font:12px sans-serif;text-anchor:middle}"
    "rect{fill:#f4f7fb;stroke:#33527a;stroke-width:1.5}"
    "path{fill:none;stroke:#33527a}"
    ".back path{stroke:#9db0c9;stroke-dasharray:4 3}"
    ".label{font-size:10px;fill:#33527a;stroke:#fff;stroke-width:3px;paint-order:stroke}"
    "marker path{fill:#33527a}"
)
_HEAD = (
    '<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" '
    'orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>'
)

Point = tuple[float, float]


def svg(protocol: Protocol) -> str:
    """A picture of the topmost table; rows that stay in their state are left out."""
    found = edges(protocol)
    places = _places(protocol, found)
    width = max(x for x, _ in places.values()) + _WIDTH / 2 + _MARGIN
    height = max(y for _, y in places.values()) + _HEIGHT / 2 + _MARGIN
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" role="img">',
            f"<title>{escape(protocol.name)}</title><style>{_STYLE}</style>{_HEAD}",
            *(_arrow(edge, places) for edge in found),
            *_states(protocol, places),
            "</svg>\n",
        ]
    )


def _places(protocol: Protocol, found: list[Edge]) -> dict[str, Point]:
    """The middle of each state."""
    depth = {protocol.initial: 0}
    todo = [protocol.initial]
    for state in todo:
        for edge in found:
            if edge.start == state and edge.end not in depth:
                depth[edge.end] = depth[state] + 1
                todo.append(edge.end)
    rows = [[state for state in todo if depth[state] == level] for level in range(max(depth.values()) + 1)]
    widest = max(map(len, rows))
    return {
        state: (
            _MARGIN + _WIDTH / 2 + (index + (widest - len(row)) / 2) * _ACROSS,
            _MARGIN + _HEIGHT / 2 + level * _DOWN,
        )
        for level, row in enumerate(rows)
        for index, state in enumerate(row)
    }


def _states(protocol: Protocol, places: Mapping[str, Point]) -> Iterator[str]:
    for state, (x, y) in places.items():
        round_ = _HEIGHT / 2 if state == protocol.initial else 6
        yield (
            f'<rect x="{x - _WIDTH / 2:.0f}" y="{y - _HEIGHT / 2:.0f}" width="{_WIDTH}" height="{_HEIGHT}" '
            f'rx="{round_:.0f}"/><text x="{x:.0f}" y="{y + 4:.0f}">{escape(state)}</text>'
        )


def _arrow(edge: Edge, places: Mapping[str, Point]) -> str:
    """A curve to the right of the straight line, which leaves room for an arrow in the opposite direction."""
    (x1, y1), (x2, y2) = places[edge.start], places[edge.end]
    length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
    bend = _BEND * max(1.0, length / _DOWN / 1.5)
    cx = (x1 + x2) / 2 - (y2 - y1) / length * bend
    cy = (y1 + y2) / 2 + (x2 - x1) / length * bend
    sx, sy = _border((x1, y1), (cx, cy))
    ex, ey = _border((x2, y2), (cx, cy))
    lx, ly = (sx + 2 * cx + ex) / 4, (sy + 2 * cy + ey) / 4
    path = f'<path d="M{sx:.1f} {sy:.1f}Q{cx:.1f} {cy:.1f} {ex:.1f} {ey:.1f}" marker-end="url(#head)"/>'
    label = f'<text class="label" x="{lx:.0f}" y="{ly:.0f}">{escape(edge.label)}</text>'
    title = f"<title>{escape(f'{edge.start} → {edge.end}: {edge.details}')}</title>"
    if y1 - y2 > 1.5 * _DOWN:  # most states have such a long way back; it has a title, but no label
        return f'<g class="back">{title}{path}</g>'
    return f"<g>{title}{path}{label}</g>"


def _border(middle: Point, toward: Point) -> Point:
    """Where the line from a state's middle leaves its box."""
    dx, dy = toward[0] - middle[0], toward[1] - middle[1]
    scale = max(abs(dx) / (_WIDTH / 2), abs(dy) / (_HEIGHT / 2), 1.0)
    return middle[0] + dx / scale, middle[1] + dy / scale
