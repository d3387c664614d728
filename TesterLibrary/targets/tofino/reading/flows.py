# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The counters of the flows of streams on a switch, in chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ....errors import PlanError
from ....measurement.snapshot import FlowCounters
from ..driver.loaded import LoadedStream
from ..entries.flows import cells_asked, flow_counters
from ..session.repeated_call import Turn
from ..session.session import SwitchSession

_FLOWS_AT_ONCE = 4096


class SwitchFlows:
    """The flows of streams on a switch. What has arrived is read before what has left: no flow gains frames.

    Args:
        session: The session of the switch.
        turn: Runs one call at a time.
        stream: The loaded stream of a job, by its id.
        departed: The frames that a stream has sent.
    """

    def __init__(
        self,
        session: SwitchSession,
        turn: Turn,
        stream: Callable[[str, int], LoadedStream | None],
        departed: Callable[[LoadedStream], int],
    ) -> None:
        self._session, self._turn, self._stream, self._departed = session, turn, stream, departed

    def read(self, job: str, stream_id: int) -> Iterator[FlowCounters]:
        """See `TargetFlows`."""
        with self._turn():
            stream = self._stream(job, stream_id)
        if stream is None or stream.cells is None:
            raise PlanError(f"job {job!r} has no stream {stream_id} that counts flows")
        return self._chunks(stream, stream.cells)

    def _chunks(self, stream: LoadedStream, cells: range) -> Iterator[FlowCounters]:
        for first in range(0, len(cells), _FLOWS_AT_ONCE):
            with self._turn():
                readings = self._session.read(cells_asked(cells[first : first + _FLOWS_AT_ONCE]))
                sent = self._departed(stream)
            yield flow_counters(first, len(cells), sent, readings)
