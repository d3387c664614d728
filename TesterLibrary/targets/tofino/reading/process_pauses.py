# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Pauses of a fake switch's process, counted for jobs as those of an engine's workers are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from ....measurement.delays.histogram import index_of
from ....measurement.job_counters import JobCounters, PollGaps
from ..session.session import SwitchSession


class ProcessPauses:
    """The longest pause before each reading, since the session was opened. A chip has no pauses.

    Args:
        session: The session with the switch, which tells the longest pause since it was asked last.
    """

    def __init__(self, session: SwitchSession) -> None:
        self._session = session
        self._buckets: Counter[int] = Counter()
        self._worst_ns = 0

    def counters(self, ports: Mapping[str, Iterable[str]]) -> tuple[JobCounters, ...]:
        """Pauses until now, for each job on its ports; an earlier reading says which are new."""
        worst_ns = self._session.take_worst_pause_ns()
        if worst_ns is None:
            return ()
        if worst_ns:
            self._buckets[index_of(worst_ns)] += 1
            self._worst_ns = max(self._worst_ns, worst_ns)
        buckets = dict(self._buckets)
        gaps = (self._worst_ns, sum(buckets.values()), buckets)
        return tuple(
            JobCounters(job, polls=tuple(PollGaps(port, *gaps) for port in dict.fromkeys(names)))
            for job, names in ports.items()
        )
