# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""HTML from the templates in `reports/templates/`."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from ...files.paths import report_file
from ...measurement.trial import Trial
from ...model.units.units import duration_text

if TYPE_CHECKING:
    from jinja2 import Environment

    from ...methodology.diagnosis import DiagnosisResult


def trials_html(trials: Sequence[Trial], plot: str = "", plot_text: str = "") -> str:
    """A table of trials and their plot (SVG text) on one line of HTML, for Robot's log and Allure."""
    html = render("trials.html", trials=trials, plot=image(plot), plot_text=plot_text)
    return " ".join(html.split())


def experiments_html(result: DiagnosisResult) -> str:
    """The sentence of a diagnosis and the table of its experiments on one line of HTML."""
    return " ".join(render("experiments.html", result=result).split())


def render(template: str, **values: object) -> str:
    """A template with values, all escaped."""
    return _environment().get_template(template).render(**values)


def image(svg: str) -> str:
    """A picture as an address that needs no file; empty if there is none."""
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}" if svg else ""


@lru_cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

    environment = Environment(
        loader=FileSystemLoader(report_file("templates/certificate.html").parent),
        autoescape=select_autoescape(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["ns"] = _ns
    environment.filters["counted"] = _counted
    environment.filters["percent"] = _percent
    environment.filters["bits"] = _bits
    environment.filters["rate"] = _rate
    return environment


def _ns(value: float | None) -> str:
    return "–" if value is None else duration_text(value)


def _counted(value: int | None) -> str:
    return "not measured" if value is None else f"{value:,}"


def _rate(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}"


def _percent(value: float | None) -> str:
    """Percentage of a ratio: four significant digits, and never 0 for a ratio that is not 0."""
    return "not measured" if value is None else f"{float(value) * 100:.4g} %"


def _bits(value: float | None) -> str:
    if value is None:
        return "not measured"
    for size, unit in ((1e9, "Gbps"), (1e6, "Mbps"), (1e3, "kbps")):
        if value >= size:
            return f"{value / size:.4g} {unit}"
    return f"{value:.4g} bps"
