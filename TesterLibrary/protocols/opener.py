# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Opens flows of an interpreter as `responder.proto` says: how many at once, how fast, and when again."""

from __future__ import annotations

from collections import deque
from fractions import Fraction
from math import ceil, floor

from ..model.plan.planned_end import Opening
from ..model.responder import Reopen
from .flow import Flow, FlowKey
from .interpreter import Interpreter

_MOST_AT_ONCE = 4096  # openings in one call, if clients have no rate and their protocol keeps no flows


class Opener:
    """The progress of an opening. Times are microseconds from the start of its interpreter."""

    def __init__(self, opening: Opening, interpreter: Interpreter) -> None:
        self._opening = opening
        self._interpreter = interpreter
        self._over: deque[int] = deque()  # flows that can be opened again, the one that ended first in front
        self._never_opened = 0  # flows that were opened at least once, from the first one on
        self._keys: dict[FlowKey, int] = {}
        self._room = opening.connections
        self._first_due = Fraction(0)
        self._due_number = 0  # openings since `_first_due`
        self._put_off = 0
        self._sent: list[bytes] = []
        self.openings = 0

    @property
    def going(self) -> bool:
        """Whether it may open another flow some time."""
        opening = self._opening
        if opening.total and self.openings >= opening.total:
            return False
        if opening.reopen is Reopen.NEVER and opening.connections:
            return self.openings < opening.connections
        return not opening.connections or self._room > 0 or bool(self._keys)

    @property
    def put_off(self) -> int:
        """The number of openings that were due while there was no room for them."""
        waiting = not self._room and self._opening.connections and self.going
        return self._put_off + (self._due_by_now() if waiting else 0)

    def due(self) -> int | None:
        """When the next flow is to be opened; None while there is no room for it."""
        if not self.going or (self._opening.connections and not self._room):
            return None
        return max(self._interpreter.now, ceil(self._due()))

    def run(self) -> list[bytes]:
        """Opens the flows that are due, and returns the frames to send."""
        self._sent = []
        for _ in range(_MOST_AT_ONCE):
            due = self.due()
            if due is None or due > self._interpreter.now:
                break
            self._open()
        return self._sent

    def ended(self, flow: Flow) -> None:
        """Notes that a flow has ended; depending on `reopen` it makes room for another one."""
        number = self._keys.pop(flow.key, None)
        if number is None:
            return
        self._over.append(number)
        reopen = self._opening.reopen
        self._room += reopen is Reopen.ALWAYS or (reopen is Reopen.ENDED_WELL and not flow.failed)

    def _due(self) -> Fraction:
        rate = self._opening.rate
        return self._first_due + Fraction(self._due_number, 1000) / rate if rate else self._first_due

    def _due_by_now(self) -> int:
        """Openings that a rate asks for from the next one on until now."""
        rate, late = self._opening.rate, self._interpreter.now - self._due()
        return 1 + floor(late * 1000 * rate) if rate and late >= 0 else 0

    def _open(self) -> None:
        if self._opening.rate and ceil(self._due()) < self._interpreter.now:
            # Openings that had to wait are not made up for later.
            self._put_off += self._due_by_now()
            self._first_due, self._due_number = Fraction(self._interpreter.now), 0
        number = self._next()
        fields: dict[str, object] = {series.field: series.value(number) for series in self._opening.addresses}
        fields["Ether.src"] = int.from_bytes(self._opening.source_mac, "big")
        fields["Ether.dst"] = int.from_bytes(self._opening.destination_mac, "big")
        key = self._interpreter.key_of(fields)
        self.openings += 1
        self._due_number += 1
        if self._opening.connections:
            self._room -= 1
            self._keys[key] = number
        else:
            self._over.append(number)
        self._sent += self._interpreter.start(fields, self._interpreter.now)

    def _next(self) -> int:
        if self._never_opened < self._opening.flows:
            self._never_opened += 1
            return (self._opening.first_flow + self._never_opened - 1) % self._opening.flows
        return self._over.popleft()
