# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Captures and states of protocols in Robot's log and in Allure, with pictures."""

from __future__ import annotations

from contextlib import suppress

from robot.api import logger

from ..errors import TesterLibraryError
from ..protocols.checker import load_protocol
from ..protocols.diagram import edges
from ..protocols.svg import svg
from ..reporting.captures.excerpts import link_to
from ..reporting.pages.render import image
from ..reporting.pictures.capture_plot import capture_plot
from ..reporting.pictures.figure import MOST_PLOTS, Figure
from ..reporting.record.recorder import Recorder
from ..running.capture import CaptureFile


def show_capture(recorder: Recorder, capture: CaptureFile) -> None:
    """Links the files of a capture, and warns if it dropped frames or was not triggered."""
    counters, output = capture.counters, recorder.directory.parent
    link = link_to(capture.path, output)
    logger.info(f'<a href="{link}">{capture.path.name}</a>: {counters}', html=True)
    if capture.excerpt:
        path, text = capture.excerpt.path, capture.excerpt.text
        logger.info(f'<a href="{link_to(path, output)}">{path.name}</a>: {text}', html=True)
    with suppress(TesterLibraryError):  # no matplotlib: the file says it all
        if len(recorder.plots) < MOST_PLOTS and (plot := capture_plot(capture.heads, capture.excerpt)):
            recorder.plots.append(Figure(f"capture {counters.name}", image(plot), str(counters)))
    for file in capture.frames:
        logger.info(f"{file.path}: {file.rows:,} rows")
    if capture.waited:
        logger.warn(f"capture {counters.name} was not triggered; it has the last frames")
    if counters.dropped:
        logger.warn(f"capture {counters.name}: {counters}")


def show_states(recorder: Recorder, protocol: str) -> None:
    """Puts the diagram into Robot's log and into Allure, once a test. Its text has the same transitions."""
    loaded = load_protocol(protocol)
    text = "; ".join(f"{edge.start} to {edge.end}: {edge.label}" for edge in edges(loaded))
    figure = Figure(f"states of {loaded.name}", image(svg(loaded)), text)
    if figure not in recorder.plots and len(recorder.plots) < MOST_PLOTS:
        recorder.plots.append(figure)
