# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts on a path: its events, its traces."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import TesterLibraryError
from ...measurement.inline import PathStatistics
from ...measurement.traces.trace import PathTrace
from ...verdict import EQUAL, Verdict, assess


def all_events_fired(paths: Sequence[PathStatistics]) -> Verdict:
    """Whether each event of these paths has happened at least once.

    Never FAIL: an event that did not happen says nothing about the device. INCONCLUSIVE then, with its name,
    and where the tester did not do its part.

    Raises:
        TesterLibraryError: they have no events.
    """
    names = " and ".join(path.name for path in paths)
    events = [event for path in paths for event in path.events]
    if not events:
        raise TesterLibraryError(f"{f'path {names} has' if names else 'there are'} no events to verify")
    fired = sum(event.fired > 0 for event in events)
    return assess(
        fired,
        EQUAL,
        len(events),
        subject=f"number of fired events of path {names}",
        measured=f"{fired} of {len(events)}",
        bound="all",
        doubt="; ".join(filter(None, (path.doubt for path in paths))),
    )


def traces_complete(traces: Sequence[PathTrace]) -> Verdict:
    """Whether all four conditions hold for each trace. Never FAIL: a hole says nothing about the device.

    Raises:
        TesterLibraryError: there is no trace.
    """
    if not traces:
        raise TesterLibraryError("there is no trace to verify; call Start Trace and Stop Trace before")
    conditions = [condition for trace in traces for condition in trace.conditions]
    held = sum(condition.holds for condition in conditions)
    return assess(
        held,
        EQUAL,
        len(conditions),
        subject=f"conditions of a complete trace of path {' and '.join(trace.path for trace in traces)}",
        measured=f"{held} of {len(conditions)}",
        bound="all",
        doubt="; ".join(filter(None, (trace.doubt for trace in traces))),
    )
