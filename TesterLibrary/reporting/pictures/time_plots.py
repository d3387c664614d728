# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Plots over time as SVG text: of intervals, outages, captured frames, and of runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...measurement.interval import Interval
from .canvas import COLORS, Plot

_MANY_POINTS = 100  # from here on they are drawn small

Band = tuple[float, float]  # begin and end, in seconds


def interval_series(intervals: Sequence[Interval], marks: Sequence[tuple[float, str]] = ()) -> str:
    """Frames/s, frame loss and mean delay over time; frames belong to intervals by when they were sent.

    Intervals of which nothing arrived are bands. `marks` are events with their names, in seconds after the
    begin of the first interval.
    """
    begin = intervals[0].start_ns if intervals else 0
    middles = [((i.start_ns + i.end_ns) / 2 - begin) / 1e9 for i in intervals]
    labels = ("", "Frames/s"), ("", "Loss, %"), ("Time, s", "Mean delay, µs")
    with Plot(*labels, stacked=True, size=(5.2, 5.0)) as plot:
        sent = [i.sent * 1e9 / i.duration_ns for i in intervals]
        plot.line(0, "sent", list(zip(middles, sent, strict=True)))
        rates = [i.received_rate for i in intervals]
        plot.line(1, "of them received", list(zip(middles, rates, strict=True)))
        plot.axes.set_ylim(bottom=0)
        plot.events(marks)
        plot.next()
        losses = [float(i.loss) * 100 for i in intervals]
        plot.line(3, "loss", list(zip(middles, losses, strict=True)))
        plot.axes.set_ylim(bottom=-0.02 * max([1.0, *losses]))
        plot.next()
        delays = [(x, i.delay_ns / 1000) for x, i in zip(middles, intervals, strict=True) if i.delay_ns]
        plot.line(2, "delay", delays)
        silent = [i for i in intervals if i.sent and not i.received]
        spans = [((i.start_ns - begin) / 1e9, (i.end_ns - begin) / 1e9) for i in silent]
        plot.bands(spans, "nothing received")
    return plot.svg


def outages(sending: Mapping[str, Band], silent: Mapping[str, Sequence[Band]]) -> str:
    """The time in which each stream was sent, with its outages as bands (RFC 6201)."""
    height = 1.2 + 0.4 * len(sending)
    with Plot(("Time, s", ""), size=(5.2, height)) as plot:
        for row, (name, (begin, end)) in enumerate(sending.items()):
            label = "" if row else "sending"
            plot.axes.broken_barh([(begin, end - begin)], (row - 0.1, 0.2), color=COLORS[0], label=label)
            spans = [(first, last - first) for first, last in silent.get(name, ())]
            plot.axes.broken_barh(spans, (row - 0.35, 0.7), color=COLORS[1], alpha=0.6)
        plot.axes.broken_barh([], (0, 0), color=COLORS[1], alpha=0.6, label="outage")
        plot.axes.set_yticks(range(len(sending)), list(sending))
        plot.axes.set_ylim(-0.6, len(sending) - 0.4)
    return plot.svg


def burst_shape(
    edges_s: Sequence[float], rates: Mapping[str, Sequence[float]], lost_s: Sequence[float] = ()
) -> str:
    """Captured frames/s over time, a line for each direction, with the departures of lost frames."""
    with Plot(("Time, s", "Frames/s"), size=(7.2, 2.6)) as plot:
        for index, (label, values) in enumerate(rates.items()):
            plot.axes.stairs(values, edges_s, color=COLORS[2 * index], linewidth=1.2, label=label)
        plot.axes.set_ylim(bottom=0)
        if lost_s:
            top = max((max(values, default=0.0) for values in rates.values()), default=1.0)
            style = {"linestyle": "none", "marker": "|", "markersize": 8, "color": COLORS[1]}
            plot.axes.plot(lost_s, [top * 1.04] * len(lost_s), label="lost", **style)
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
    with Plot(("", unit), size=(7.2, 2.6)) as plot:
        many = len(values) > _MANY_POINTS
        style = {"linestyle": "none", "marker": "." if many else "o", "markersize": 2 if many else 4}
        x, y = zip(*values, strict=True) if values else ((), ())
        plot.axes.plot(x, y, color=COLORS[0], label="value", **style)
        for number, level in enumerate(levels):
            x, y = zip(*level, strict=True)
            plot.axes.plot(x, y, color=COLORS[2], linewidth=1.6, label="" if number else "level")
        low = min((y for _, y in values), default=0)
        if gaps:
            plot.axes.plot(
                gaps, [low] * len(gaps), color=COLORS[6], linestyle="none", marker="x", label="not fit"
            )
        for number, (at, _) in enumerate(alarms):
            plot.axes.axvline(at, color=COLORS[1], linestyle="--", label="" if number else "alarm")
        plot.dates()
    return plot.svg
