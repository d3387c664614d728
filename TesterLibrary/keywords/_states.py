# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The states of a protocol that a suite has started, as a picture in its log."""

from __future__ import annotations

from ..protocols.checker import load_protocol
from ..protocols.diagram import edges
from ..protocols.svg import svg
from ..reporting.pages.render import image
from ..reporting.pictures.figure import MOST_PLOTS, Figure
from ..reporting.record.recorder import Recorder


def show_states(recorder: Recorder, protocol: str) -> None:
    """Puts the diagram into Robot's log and into Allure, once a test. Its text has the same transitions."""
    loaded = load_protocol(protocol)
    text = "; ".join(f"{edge.start} to {edge.end}: {edge.label}" for edge in edges(loaded))
    figure = Figure(f"states of {loaded.name}", image(svg(loaded)), text)
    if figure not in recorder.plots and len(recorder.plots) < MOST_PLOTS:
        recorder.plots.append(figure)
