# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The trend as one HTML file that needs no other: a chart of each figure, with filters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

from markupsafe import Markup

from ...errors import TesterLibraryError
from ...model.units.magnitude import SHARE, TIME
from ...model.units.units import RateUnit
from ..pages.failures import anchor_of
from ..pages.render import render
from ..pages.value_text import text_in
from ..pictures.time_plots import value_over_time
from ..record.durable import write_file
from ..record.record_place import CERTIFICATE, EVIDENCE
from ..record.recorder import read_run
from .figure import Point
from .judge import WINDOW, State
from .level import levels
from .summary import Trend, alarm_history, time_text

_SHOWN = 20  # rows of a table; the chart has all values
_COLORS = {"#0b5cad": "value", "#b3261e": "alarm", "#2e7d32": "level", "#5f5f5f": "gap", "#dddddd": "grid"}
_SCALES = {
    SHARE: (100, "%"),
    TIME: (1e-3, "µs"),
    RateUnit.L2.value: (1e-6, "Mbps"),
}  # by what values are multiplied for the axis, and its unit


@dataclass(frozen=True)
class Row:
    """A value in the table of a figure."""

    at: str
    measured: str
    point: Point
    link: str  # to the certificate of its run, at its test; empty if it is not beside the page


@dataclass(frozen=True)
class Section:
    """A figure on the page."""

    trend: Trend
    chart: Markup
    text: str  # for those who do not see the chart
    versions: tuple[str, ...]
    alarms: tuple[str, ...]
    rows: tuple[Row, ...]


def write(trends: Sequence[Trend], path: Path, *, runs: int, newest: datetime | None) -> Path:
    """Puts the page there. RecordError if the disk is full, for example.

    Values lead to the certificates of their runs, as far as the folders of these are beside the page.
    """
    folders = _folders(path.absolute().parent)
    sections = [_section(trend, folders) for trend in trends]
    standings = [trend.standing.value for trend in trends]
    write_file(
        path,
        render(
            "trend.html",
            sections=sections,
            runs=runs,
            newest=time_text(newest) if newest else "",
            counts={name: standings.count(name) for name in dict.fromkeys(standings)},
            testbeds=sorted({trend.series.key.testbed for trend in trends}),
            versions=sorted({version for section in sections for version in section.versions}),
            sizes=sorted({size for trend in trends if (size := trend.series.key.size)}),
        ),
    )
    return path


def _folders(beside: Path) -> Mapping[str, str]:
    """The folders of runs by their ids, from the page."""
    found = {}
    for certificate in beside.glob(f"*/{CERTIFICATE}"):
        with suppress(TesterLibraryError):
            found[str(read_run(certificate.parent / EVIDENCE)["id"])] = certificate.parent.name
    return found


def _section(trend: Trend, folders: Mapping[str, str]) -> Section:
    points, unit, key = trend.series.points, trend.series.key.unit, trend.series.key
    at = anchor_of(key.suite, key.test)
    rows = (
        Row(
            time_text(p.at),
            "no number" if p.value is None else text_in(p.value, unit),
            p,
            f"{quote(folders[p.run])}/{CERTIFICATE}#{at}" if p.run in folders else "",
        )
        for p in reversed(points[-_SHOWN:])
    )
    return Section(
        trend,
        _chart(trend),
        f"{len(points)} values over time; {trend.standing.value}: {trend.reason}",
        tuple(dict.fromkeys(point.version for point in points)),
        tuple(_alarms(trend)),
        tuple(rows),
    )


def _alarms(trend: Trend) -> Iterator[str]:
    """The state of each alarm. Candidates that were refuted were no alarm."""
    unit = trend.series.key.unit
    for alarm in trend.series.alarms:
        if alarm.state is not State.REFUTED:
            history = alarm_history(alarm)
            yield f"{text_in(alarm.value, unit)}, {text_in(alarm.before, unit)} before: {history}"


def _chart(trend: Trend) -> Markup:
    unit = trend.series.key.unit
    scale, name = _SCALES.get(unit, (1, unit))
    fit = [point for point in trend.series.points if point.fit]
    values = [(point.at, (point.value or 0.0) * scale) for point in fit]
    recent = values[-WINDOW:]
    spans, first = [], 0
    for level in levels([value for _, value in recent], trend.method):
        last = first + len(level.values) - 1
        spans.append([(recent[first][0], level.mean), (recent[last][0], level.mean)])
        first = last + 1
    svg = value_over_time(
        name or "value",
        values=values,
        gaps=[point.at for point in trend.series.points if not point.fit],
        levels=spans,
        alarms=[(a.since, a.state.value) for a in trend.series.alarms if a.state is not State.REFUTED],
    )
    return Markup(_inline(svg, f"f{trend.series.id}"))


def _inline(svg: str, name: str) -> str:
    """A picture as a part of the page: it takes its colours from there, and shares no id with another one."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    svg = re.sub(r'(xlink:href="|url\()#', rf"\1#{name}-", svg)
    for color, use in _COLORS.items():
        svg = svg.replace(color, f"var(--{use})")
    svg = svg.replace("#000000", "currentColor").replace("#ffffff", "none")
    return re.sub(r'^<svg [^>]*viewBox="([^"]*)"[^>]*>', r'<svg viewBox="\1" aria-hidden="true">', svg)
