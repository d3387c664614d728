# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A stream of a recorded trial: by its id and their times, its frames are known in a capture."""

from __future__ import annotations

from dataclasses import dataclass

from ...measurement.stream_result import StreamResult
from ...measurement.trial import Trial
from .record_place import RecordPlace

_BEFORE_NS = 10**6  # clocks of the tester's CPUs differ
_AFTER_NS = 10**9  # frames arrive on other ports, or again, behind the last one


@dataclass(frozen=True)
class TrialPart:
    """A stream of a trial. Times are of the tester's clock."""

    stream_id: int
    stream: str
    trial: int  # its number
    attempt: int
    place: RecordPlace
    begin_ns: int  # no frame has left before
    end_ns: int  # and none has left, or arrived, after
    rx_port: str
    lost: int | None  # frames; None: nobody knows, or copies are expected at other ports

    @classmethod
    def of(cls, stream: StreamResult, trial: Trial, place: RecordPlace) -> TrialPart:
        """The part that one stream has in a trial."""
        counted = stream.counters
        return cls(
            stream_id=counted.id,
            stream=stream.name,
            trial=trial.number,
            attempt=trial.attempt,
            place=place,
            begin_ns=counted.first_tx_ns - _BEFORE_NS,
            end_ns=max(counted.last_tx_ns, counted.last_rx_ns) + _AFTER_NS,
            rx_port=stream.rx_port,
            lost=None if stream.copies or not stream.signed else stream.order.lost,
        )

    def __str__(self) -> str:
        again = f" (attempt {self.attempt})" if self.attempt > 1 else ""
        return f"Trial {self.trial}{again}, {self.stream}"
