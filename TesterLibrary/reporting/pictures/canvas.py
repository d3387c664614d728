# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Axes in the one look that all plots have, as SVG text. The same calls always give the same text."""

from __future__ import annotations

import io
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

from ...errors import TesterLibraryError

_STYLE: Any = {
    "svg.hashsalt": "TesterLibrary",  # otherwise ids are random
    "svg.fonttype": "none",  # text stays text: small, searchable, read aloud
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "axes.axisbelow": True,
}
COLORS = (
    "#0b5cad",
    "#b3261e",
    "#2e7d32",
    "#6a3d9a",
    "#8a5a00",
    "#00707a",
    "#5f5f5f",
)  # each dark enough on white
_MARKERS = "osD^vPX"
_MISSING = "plots need matplotlib; install robotframework-testerlibrary[report]"


def missing() -> str:
    """Why there are no plots; empty if there are."""
    return "" if find_spec("matplotlib") else _MISSING


class Plot:
    """One pair of axes or several, from a clean style to SVG. `axes` are those that are drawn on."""

    def __init__(
        self, *labels: tuple[str, str], stacked: bool = False, size: tuple[float, float] = (5.2, 3.0)
    ) -> None:
        """`labels` are those of x and y of each pair. They are side by side, or share x and are `stacked`."""
        try:
            import matplotlib  # takes half a second, which a run without plots need not spend
            from matplotlib.figure import Figure
        except ImportError:
            raise TesterLibraryError(_MISSING) from None
        self._style = matplotlib.rc_context(_STYLE)
        self._figure_class: Any = Figure
        self._labels, self._stacked, self._size = labels, stacked, size
        self.svg = ""

    def __enter__(self) -> Plot:
        self._style.__enter__()
        self._figure = self._figure_class(figsize=self._size, layout="constrained")
        shape = (len(self._labels), 1) if self._stacked else (1, len(self._labels))
        found = self._figure.subplots(*shape, sharex=self._stacked, squeeze=False)
        self.all: list[Any] = list(found.flat)
        for axes, (x, y) in zip(self.all, self._labels, strict=True):
            axes.set_xlabel(x)
            axes.set_ylabel(y)
        self.axes = self.all[0]
        return self

    def next(self) -> None:
        """Goes on with the next pair of axes."""
        self.axes = self.all[self.all.index(self.axes) + 1]

    def __exit__(self, kind: object, *rest: object) -> None:
        try:
            if kind is None:
                self.svg = self._render()
        finally:
            self._style.__exit__(None, None, None)

    def line(self, index: int, label: str, points: Sequence[tuple[float, float]]) -> None:
        """A line with markers: told apart by shape as well as by colour."""
        x = [point[0] for point in points]
        y = [point[1] for point in points]
        color = COLORS[index % len(COLORS)]
        marker = _MARKERS[index % len(_MARKERS)]
        self.axes.plot(x, y, color=color, marker=marker, markersize=4, linewidth=1.4, label=label)

    def events(self, marks: Sequence[tuple[float, str]]) -> None:
        """A vertical line for each event, with its name along the line."""
        for x, name in marks:
            self.axes.axvline(x, color=COLORS[3], linestyle=":", linewidth=1.4)
            self.axes.annotate(
                name.replace("$", r"\$"),  # otherwise it is a formula
                (x, 0.03),
                xycoords=("data", "axes fraction"),
                xytext=(2, 0),
                textcoords="offset points",
                rotation=90,
                color=COLORS[3],
                fontsize=8,
            )

    def bands(self, spans: Sequence[tuple[float, float]], label: str) -> None:
        """Spans of x in all axes, behind what is drawn there."""
        for axes in self.all:
            for number, (begin, end) in enumerate(spans):
                name = label if axes is self.all[0] and not number else ""
                axes.axvspan(begin, end, color=COLORS[1], alpha=0.18, linewidth=0, label=name)

    def dates(self) -> None:
        """Ticks at days or times of day, no more than have room."""
        from matplotlib import dates

        locator: Any = dates.AutoDateLocator(minticks=3, maxticks=8)  # type: ignore[no-untyped-call]
        self.axes.xaxis.set_major_locator(locator)
        formatter: Any = dates.ConciseDateFormatter(locator)  # type: ignore[no-untyped-call]
        self.axes.xaxis.set_major_formatter(formatter)

    def logarithmic(self) -> None:
        """Values over several orders of magnitude, with readable ticks also within one."""
        from matplotlib.ticker import EngFormatter, LogLocator, NullLocator

        self.axes.set_yscale("log")
        self.axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        self.axes.yaxis.set_major_formatter(EngFormatter(sep=""))
        self.axes.yaxis.set_minor_locator(NullLocator())

    def frame_sizes(self, sizes: Any) -> None:
        """Ticks at the frame sizes that were measured, on a scale that keeps the small ones apart."""
        ticks = sorted(set(sizes))
        if not ticks:
            return
        self.axes.set_xscale("log", base=2)
        self.axes.set_xticks(ticks, [str(size) for size in ticks], rotation=45)
        self.axes.minorticks_off()

    def _render(self) -> str:
        if any(axes.get_legend_handles_labels()[1] for axes in self.all):
            self._figure.legend(loc="outside upper center", ncols=4, fontsize=8, frameon=False)
        text = io.StringIO()
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        self._figure.savefig(text, format="svg", metadata=nothing)
        return text.getvalue()
