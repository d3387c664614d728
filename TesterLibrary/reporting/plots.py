# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Plots of trials as SVG text. The same trials always give the same text."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import TesterLibraryError
from ..measurement.interval import Interval
from ..measurement.trial import Trial

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
_COLORS = (
    "#0b5cad",
    "#b3261e",
    "#2e7d32",
    "#6a3d9a",
    "#8a5a00",
    "#00707a",
    "#5f5f5f",
)  # each dark enough on white
_MARKERS = "osD^vPX"
_MANY_POINTS = 100  # from here on they are drawn small
_PERCENTILES = (50.0, 90.0, 99.0, 99.9, 99.99)


def loss_vs_load(series: Mapping[str, Sequence[Trial]]) -> str:
    """Frame loss rate over offered load (RFC 2544 §26.3), a line for each label, without invalid trials."""
    with _Plot("Offered load, % of line rate", "Frame loss, %") as plot:
        for index, (label, trials) in enumerate(series.items()):
            points = sorted(
                (float(t.load * 100), t.loss_ratio * 100)
                for t in trials
                if t.valid and t.loss_ratio is not None
            )
            plot.line(index, label, points)
        plot.axes.set_xlim(0, 102)
        losses = (t.loss_ratio for trials in series.values() for t in trials if t.valid)
        worst = max((loss * 100 for loss in losses if loss is not None), default=0)
        plot.axes.set_ylim(-1, max(5.0, worst * 1.05))
    return plot.svg


def throughput_vs_size(
    series: Mapping[str, Sequence[tuple[int, float]]], line: Sequence[tuple[int, float]]
) -> str:
    """Throughput in frames/s over frame size in bytes (RFC 2544 §26.1), with what the line could carry."""
    with _Plot("Frame size, bytes", "Throughput, frames/s") as plot:
        if line:
            x, y = zip(*line, strict=True)
            plot.axes.plot(x, y, color="#5f5f5f", linestyle="--", label="line rate")
        for index, (label, points) in enumerate(series.items()):
            plot.line(index, label, points)
        plot.logarithmic()
        plot.frame_sizes(size for points in (*series.values(), line) for size, _ in points)
    return plot.svg


def latency_vs_size(statistics: Mapping[str, Sequence[tuple[int, float]]]) -> str:
    """Latency in microseconds over frame size in bytes, a line for each statistic (min, p50, p99, max)."""
    with _Plot("Frame size, bytes", "Latency, µs") as plot:
        for index, (label, points) in enumerate(statistics.items()):
            plot.line(index, label, [(size, ns / 1000) for size, ns in points])
        plot.logarithmic()
        plot.frame_sizes(size for points in statistics.values() for size, _ in points)
    return plot.svg


def bursts_vs_size(statistics: Mapping[str, Sequence[tuple[int, float]]]) -> str:
    """Longest burst in frames over frame size in bytes (RFC 9004), a line for each statistic."""
    with _Plot("Frame size, bytes", "Longest burst, frames") as plot:
        for index, (label, points) in enumerate(statistics.items()):
            plot.line(index, label, points)
        plot.axes.set_ylim(bottom=0)
        plot.frame_sizes(size for points in statistics.values() for size, _ in points)
    return plot.svg


def recovery_vs_size(series: Mapping[str, Sequence[tuple[int, float]]]) -> str:
    """System recovery in milliseconds over frame size in bytes (RFC 2544 §26.5), a line for each label."""
    with _Plot("Frame size, bytes", "System recovery, ms") as plot:
        for index, (label, points) in enumerate(series.items()):
            plot.line(index, label, [(size, ns / 1e6) for size, ns in points])
        plot.axes.set_ylim(bottom=0)
        plot.frame_sizes(size for points in series.values() for size, _ in points)
    return plot.svg


def reset_times(resets: Sequence[tuple[str, float]]) -> str:
    """Seconds without forwarding (RFC 6201), a bar for each reset."""
    with _Plot("Reset", "Time without forwarding, s") as plot:
        plot.axes.bar(range(len(resets)), [ns / 1e9 for _, ns in resets], width=0.5, color=_COLORS[0])
        plot.axes.set_xticks(range(len(resets)), [kind for kind, _ in resets])
        plot.axes.set_ylim(bottom=0)
    return plot.svg


def latency_percentiles(series: Mapping[str, Trial]) -> str:
    """Latency in microseconds at each percentile, a line for each trial; the last point is the maximum."""
    with _Plot("Percentile", "Latency, µs") as plot:
        for index, (label, trial) in enumerate(series.items()):
            latency = trial.latency
            values = [*(latency.percentile(p) for p in _PERCENTILES), latency.max]
            plot.line(index, label, [(i, v / 1000) for i, v in enumerate(values) if v is not None])
        labels = [*(f"{p:g}" for p in _PERCENTILES), "max"]
        plot.axes.set_xticks(range(len(labels)), labels)
        plot.logarithmic()
    return plot.svg


def interval_series(intervals: Sequence[Interval], marks: Sequence[tuple[float, str]] = ()) -> str:
    """Frames/s sent and received over time, by intervals to which frames belong by when they were sent.

    `marks` are events with their names, in seconds after the begin of the first interval.
    """
    begin = intervals[0].start_ns if intervals else 0
    middles = [((i.start_ns + i.end_ns) / 2 - begin) / 1e9 for i in intervals]
    with _Plot("Time, s", "Frames/s") as plot:
        sent = [i.sent * 1e9 / i.duration_ns for i in intervals]
        plot.line(0, "sent", list(zip(middles, sent, strict=True)))
        plot.line(
            1, "of them received", [(x, i.received_rate) for x, i in zip(middles, intervals, strict=True)]
        )
        plot.axes.set_ylim(bottom=0)
        plot.events(marks)
    return plot.svg


def value_over_time(
    unit: str,
    *,
    values: Sequence[tuple[Any, float]],
    gaps: Sequence[Any],
    levels: Sequence[Sequence[tuple[Any, float]]],
    alarms: Sequence[tuple[Any, str]],
) -> str:
    """A value of many runs over the time of day, for a trend.

    Args:
        unit: What the values are, with their unit.
        values: Of a fit tester, with their times.
        gaps: Times of runs whose tester was not fit.
        levels: Begin and end of each level.
        alarms: Their times, with what has become of them.
    """
    with _Plot("", unit, size=(7.2, 2.6)) as plot:
        many = len(values) > _MANY_POINTS
        style = {"linestyle": "none", "marker": "." if many else "o", "markersize": 2 if many else 4}
        x, y = zip(*values, strict=True) if values else ((), ())
        plot.axes.plot(x, y, color=_COLORS[0], label="value", **style)
        for number, level in enumerate(levels):
            x, y = zip(*level, strict=True)
            plot.axes.plot(x, y, color=_COLORS[2], linewidth=1.6, label="" if number else "level")
        low = min((y for _, y in values), default=0)
        if gaps:
            plot.axes.plot(
                gaps, [low] * len(gaps), color=_COLORS[6], linestyle="none", marker="x", label="not fit"
            )
        for number, (at, _) in enumerate(alarms):
            plot.axes.axvline(at, color=_COLORS[1], linestyle="--", label="" if number else "alarm")
        plot.dates()
    return plot.svg


def of_trials(trials: Sequence[Trial]) -> tuple[str, str]:
    """The plot that says most about the trials of one test, and a sentence for those who cannot see it.

    Several loads: loss over load. One load: the percentiles of latency. Two empty texts: nothing to show.
    The sentence says, too, which loads only filled a queue: a plot of loss does not show them.
    """
    valid = [t for t in trials if t.valid]
    if len({t.load for t in valid}) > 1:
        by_title: dict[str, list[Trial]] = {}
        for trial in valid:
            by_title.setdefault(trial.title, []).append(trial)
        lossless = [t.load for t in valid if t.lost == 0]
        unknown = sum(t.lost is None for t in valid)
        best = "loss in every trial" if not unknown else f"not measured in {unknown} trials"
        if lossless:
            best = f"up to {float(max(lossless) * 100):.4g} % of line rate without loss"
        filling = sorted({t.load for t in valid if t.lost == 0 and t.not_sustained})
        if filling:
            best += f"; not sustained at {', '.join(f'{float(load * 100):.4g} %' for load in filling)}"
        return loss_vs_load(by_title), f"Frame loss over offered load: {best}"
    measured = [t for t in valid if t.latency.count]
    if not measured:
        return "", ""
    last = measured[-1]
    text = "; ".join(
        filter(None, (f"Latency by percentile; the last trial: {last.latency}", last.not_sustained))
    )
    return latency_percentiles({f"trial {t.number}": t for t in measured[-len(_COLORS) :]}), text


class _Plot:
    """One pair of axes, from a clean style to SVG."""

    def __init__(self, x: str, y: str, size: tuple[float, float] = (5.2, 3.0)) -> None:
        try:
            import matplotlib  # takes half a second, which a run without plots need not spend
            from matplotlib.figure import Figure
        except ImportError:
            raise TesterLibraryError(
                "plots need matplotlib; install robotframework-testerlibrary[report]"
            ) from None
        self._style = matplotlib.rc_context(_STYLE)
        self._figure_class: Any = Figure
        self._labels, self._size = (x, y), size
        self.svg = ""

    def __enter__(self) -> _Plot:
        self._style.__enter__()
        self._figure = self._figure_class(figsize=self._size, layout="constrained")
        self.axes = self._figure.add_subplot()
        self.axes.set_xlabel(self._labels[0])
        self.axes.set_ylabel(self._labels[1])
        return self

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
        color = _COLORS[index % len(_COLORS)]
        marker = _MARKERS[index % len(_MARKERS)]
        self.axes.plot(x, y, color=color, marker=marker, markersize=4, linewidth=1.4, label=label)

    def events(self, marks: Sequence[tuple[float, str]]) -> None:
        """A vertical line for each event, with its name along the line."""
        for x, name in marks:
            self.axes.axvline(x, color=_COLORS[3], linestyle=":", linewidth=1.4)
            self.axes.annotate(
                name.replace("$", r"\$"),  # otherwise it is a formula
                (x, 0.03),
                xycoords=("data", "axes fraction"),
                xytext=(2, 0),
                textcoords="offset points",
                rotation=90,
                color=_COLORS[3],
                fontsize=8,
            )

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
        if self.axes.get_legend_handles_labels()[1]:
            self._figure.legend(loc="outside upper center", ncols=4, fontsize=8, frameon=False)
        text = io.StringIO()
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        self._figure.savefig(text, format="svg", metadata=nothing)
        return text.getvalue()
