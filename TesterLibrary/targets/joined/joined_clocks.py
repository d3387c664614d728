# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The errors of delays that the clocks of two testers measure."""

from __future__ import annotations

from collections.abc import Mapping

from ...model.plan.plan import PlannedStream
from .common_time import CommonTime
from .loaded_job import LoadedJob


class JoinedClocks:
    """The clocks of the testers of loaded streams."""

    def __init__(self, common_time: CommonTime, jobs: Mapping[str, LoadedJob]) -> None:
        self._time = common_time
        self._jobs = jobs

    def error_ns(self, stream: PlannedStream) -> int:
        """See `TargetClocks`.

        The receiver goes on with the clock of the sender as it was when the stream was loaded. The error
        changes with the drift since then: it is greatest now, or was at the beginning.
        """
        loaded = next((job for job in self._jobs.values() if stream.id in job.ends), None)
        if loaded is None or not (ends := loaded.ends[stream.id]).is_between_testers:
            return 0
        streams = loaded.parts[ends.receiver.name].streams
        assumed = next(s.sender_clock for s in streams if s.id == stream.id)
        if assumed is None:
            return 0
        now = self._time.ahead(ends.sender, ends.receiver)
        return max(assumed.within_ns, abs(now.ahead_ns - assumed.ahead_ns) + now.within_ns)
