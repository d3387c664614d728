# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Says which part of a test was measured by an interrupted attempt at it, and when."""

from __future__ import annotations

from collections.abc import Sequence

from .finished_trials import OBSERVATION
from .record_place import RecordPlace
from .records import Records


def taken_over(records: Records, place: RecordPlace) -> str:
    """The trials of a test that were taken over; empty if none was."""
    observed = [
        event.facts for event in records.events if event.event == OBSERVATION and event.place == place
    ]
    # A trial of the streams that were sent for an observation is part of that.
    parts = {number for facts in observed for number in range(*facts["trials"])}
    trials = [record for record in records.trials if record.place == place]
    alone = [record for number, record in enumerate(trials) if number not in parts]
    return said_of(
        [record.measured_at for record in alone if record.taken_over]
        + [str(facts.get("measured_at", "")) for facts in observed if facts.get("taken_over")]
    )


def said_of(measured_at: Sequence[str]) -> str:
    """The same of trials by when each was measured, which old records do not say; empty if there is none."""
    if not measured_at:
        return ""
    first, last = min(measured_at), max(measured_at)
    when = f", measured {first if first == last else f'from {first} to {last}'}" if first else ""
    return f"{len(measured_at):,} of its trials taken over from an interrupted attempt{when}"
