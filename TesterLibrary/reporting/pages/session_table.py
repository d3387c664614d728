# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Results of clients and responders, a row for each: frames are counted elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...measurement.session_trial import SessionTrial
from ...methodology.maximum import MaximumResult
from ...methodology.sessions import SessionResult
from ..record.records import ResultRecord


@dataclass(frozen=True)
class SessionRow:
    """The connections of one measurement; of a search those at its maximum."""

    test: str
    trial: SessionTrial

    @property
    def connection_rate(self) -> str:
        """Connections established each second."""
        rate = self.trial.connection_rate
        return "not measured" if rate is None else f"{rate:,.4g}/s"


def session_rows(results: Sequence[ResultRecord]) -> tuple[SessionRow, ...]:
    """The rows of results that have connections."""
    return tuple(_rows(results))


def _rows(results: Sequence[ResultRecord]) -> Iterator[SessionRow]:
    for record in results:
        if isinstance(record.result, SessionResult | MaximumResult):
            yield SessionRow(record.place.test, record.result.trial)
