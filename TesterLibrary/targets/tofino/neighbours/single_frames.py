# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Single frames, and questions for neighbours, through the port of a switch's CPU."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from ....model.plan.plan import LearningFrame
from ....model.ports import Address
from ...base import PortInfo
from ...rules.refusal import check_frames, known_port
from ..session.repeated_call import Turn, in_turn
from ..session.session import SwitchSession
from .answers import NeighbourAnswers
from .packets import injected
from .resolution import resolve


class SwitchFrames:
    """Single frames through the ports of a switch.

    Args:
        session: The session of the switch.
        ports: Its ports, by name.
        neighbours: Answers the questions that come while it waits for an answer.
        sleep: Waits for so many seconds.
        turn: Runs one call at a time.
    """

    def __init__(
        self,
        session: SwitchSession,
        ports: Mapping[str, PortInfo],
        neighbours: NeighbourAnswers,
        sleep: Callable[[float], object],
        turn: Turn,
    ) -> None:
        self._session, self._ports, self._neighbours = session, ports, neighbours
        self._sleep, self._turn = sleep, turn

    def inject(self, frames: Iterable[LearningFrame]) -> None:
        """See `TargetFrames`."""
        frames = list(frames)
        check_frames(frames, self._ports)
        with self._turn():
            numbers = self._session.numbers
            self._session.send([injected(frame.frame, numbers[frame.port]) for frame in frames])

    @in_turn
    def resolve(self, port: str, address: Address, *, source: Address, source_mac: bytes) -> bytes:
        """See `TargetFrames`."""
        known_port(port, self._ports)
        return resolve(
            self._session,
            port,
            address,
            source=source,
            source_mac=source_mac,
            sleep=self._sleep,
            others=self._neighbours.take,
        )
