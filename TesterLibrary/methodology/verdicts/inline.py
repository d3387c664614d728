# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts on paths: whether what was to happen to packets has happened."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import TesterLibraryError
from ...measurement.inline import PathStatistics
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
