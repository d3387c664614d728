# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Captures on a switch, which sends a copy of each packet of a port to this machine (p4/controls/copies.p4).

The switch numbers copies before any of them can be lost, so it is known how many were. What a capture asks
for is looked for here, in the copies: so each frame of its ports is counted as seen, and a lost one is never
taken for one that was not wanted.
"""

from __future__ import annotations

import time
from collections import Counter as Tally
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice

from ....errors import PlanError, TesterLibraryError
from ....measurement.capture import CaptureCounters, CapturedFrame, StoppedCapture
from ....measurement.captured_frames import CapturedFrames
from ....measurement.counter import Counter
from ....model.capture import Capture
from ...base import PortInfo
from ...rules.captures import check_capture, known_capture
from ...rules.refusal import refuse_trace
from ..driver.job import SwitchJob
from ..entries.entry import TableEntry
from ..session.repeated_call import Turn, in_turn
from ..session.session import SwitchSession
from ..session.switch import Asked, numbers_of
from .copied_capture import CopiedCapture, Tap
from .copied_streams import CopiedStreams
from .copies import MIRROR, Copies, from_zero

_AT_ONCE = 10_000  # frames that are handed on together
COUNTED_BY_COPIES = frozenset({Counter.CAPTURES})
FORWARDS = "use a testerd, or a switch with the program `inline`"
_GRESSES = ("ExternalIngress", "ExternalEgress")  # of what arrives, of what leaves


class SwitchCaptures:
    """The captures of a switch, by name.

    Args:
        session: The session of the switch.
        ports: Its ports, by name.
        now_ns: The driver's clock.
        turn: Runs one call at a time.
    """

    def __init__(
        self,
        session: SwitchSession,
        ports: Mapping[str, PortInfo],
        now_ns: Callable[[], int],
        turn: Turn,
    ) -> None:
        self._session, self._ports, self._now_ns, self._turn = session, ports, now_ns, turn
        self._copies = Copies(session, f"external.{_GRESSES[1]}", now_ns)
        self._streams = CopiedStreams()
        self._known: dict[str, CopiedCapture] = {}
        self._stopped: dict[str, tuple[StoppedCapture, Sequence[CapturedFrame]]] = {}
        self._begun: set[Tap] = set()  # whose copies have numbers from 0 on

    @in_turn
    def start(self, capture: Capture) -> None:
        """Copies frames from now on. PlanError for what a switch cannot capture."""
        refuse_trace(capture, "a switch", FORWARDS)
        where = f"capture {capture.name!r}"
        check_capture(capture, self._ports, self._known)
        _check(capture, where)
        self._copies.check(where)
        copied = CopiedCapture(capture, tuple(self._ports), self._streams, self._now_ns())
        self._copies.open()
        new = [tap for tap in copied.taps if tap not in self._tapped]
        fresh = [tap for tap in new if tap not in self._begun]
        self._session.write(
            [*(from_zero(_numbers(tap), self._series(tap)) for tap in fresh), *map(self._entry, new)]
        )
        self._begun |= set(fresh)
        try:
            with self._copies.paused():
                copied.begin(self._due(copied.taps))
                for tap in copied.taps:
                    self._copies.follow(self._series(tap), copied.taker(tap))
        except BaseException:
            with suppress(TesterLibraryError):
                self._session.remove(map(self._entry, new))
            raise
        copied.known |= self._streams.names
        self._known[capture.name] = copied

    @in_turn
    def stop(self, name: str) -> StoppedCapture:
        """Copies no more, and waits for the copies that are due. It may be repeated.

        Raises:
            TargetError: none has come; asked again, it returns the empty capture.
        """
        copied = known_capture(name, self._known)
        if name not in self._stopped:
            stopped_ns = self._now_ns()
            self._leave(name)
            self._settle([copied])
            self._end(copied)
            zero_unix_ns = time.time_ns() - self._now_ns()
            counters = copied.counters(running=False)
            stopped = StoppedCapture(
                counters, zero_unix_ns, copied.started_ns, stopped_ns, dict(copied.known)
            )
            self._stopped[name] = stopped, copied.frames()
            self._copies.check_that_some_came(f"capture {name!r}", due=counters.seen, came=copied.came)
        return self._stopped[name][0]

    def read(self, name: str) -> Iterator[CapturedFrames]:
        """The frames of a capture that was stopped."""
        known_capture(name, self._known)
        if name not in self._stopped:
            raise PlanError(f"capture {name!r} is not stopped; stop it first")
        rest = iter(self._stopped[name][1])
        while part := tuple(islice(rest, _AT_ONCE)):
            yield CapturedFrames.of(part)

    @in_turn
    def forget(self, name: str) -> None:
        """Copies no more, and deletes the frames."""
        copied = known_capture(name, self._known)
        if name not in self._stopped:
            self._leave(name)
            self._end(copied)
        self._stopped.pop(name, None)
        del self._known[name]

    def counters(self) -> tuple[CaptureCounters, ...]:
        """The counters of all captures, when the copies that are due now have come or were lost."""
        self._settle(list(self._running))
        with self._copies.paused():
            return tuple(
                self._stopped[name][0].counters if name in self._stopped else copied.counters(running=True)
                for name, copied in self._known.items()
            )

    def follow(self, jobs: Iterable[SwitchJob]) -> None:
        """Knows the streams of these jobs from now on. Copies that are due are of those known before."""
        self._settle(list(self._running))
        with self._copies.paused():
            self._streams.follow(jobs)
            for copied in self._running:
                copied.known |= self._streams.names

    @property
    def counted(self) -> frozenset[Counter]:
        """The counters that it has: none, where copies go nowhere."""
        return frozenset() if self._session.cabling.copies is None else COUNTED_BY_COPIES

    @property
    def entries(self) -> list[TableEntry]:
        """The entries that ask for copies."""
        return [self._entry(tap) for tap in sorted(self._tapped, key=self._series)]

    def close(self) -> None:
        """Forgets all captures, and listens no more."""
        self._copies.close()
        self._known.clear()
        self._stopped.clear()
        self._begun.clear()

    @property
    def _running(self) -> Iterator[CopiedCapture]:
        return (copied for name, copied in self._known.items() if name not in self._stopped)

    @property
    def _tapped(self) -> Tally[Tap]:
        """The taps that are copied, and for how many captures."""
        return Tally(tap for copied in self._running for tap in copied.taps)

    def _leave(self, name: str) -> None:
        """Has the switch copy no more of what a capture alone asks for."""
        tapped = self._tapped
        alone = [tap for tap in self._known[name].taps if tapped[tap] == 1]
        self._session.remove(map(self._entry, alone))

    def _settle(self, captures: Sequence[CopiedCapture]) -> None:
        """Waits for the copies that are due now; those that do not come are lost."""
        captures = [copied for copied in captures if not copied.complete]
        if not captures:
            return
        due = self._due({tap for copied in captures for tap in copied.taps})
        self._copies.wait(lambda: self._missing(captures, due))
        with self._copies.paused():
            for copied in captures:
                copied.settle(due)

    def _missing(self, captures: Sequence[CopiedCapture], due: Mapping[Tap, int]) -> int:
        with self._copies.paused():
            return sum(copied.missing(due) for copied in captures)

    def _end(self, copied: CopiedCapture) -> None:
        for tap in copied.taps:
            self._copies.leave(self._series(tap), copied.taker(tap))

    def _due(self, taps: Collection[Tap]) -> dict[Tap, int]:
        """The number of the next copy of each tap, modulo 2^32, which the pipe of its port counts."""
        asked = [Asked(_numbers(tap), {"$REGISTER_INDEX": self._series(tap)}) for tap in taps]
        found = {}
        for tap, reading in zip(taps, self._session.read(asked), strict=True):
            found[tap] = sum(numbers_of(reading, f"{_numbers(tap).partition('.')[2]}.f1")) % (1 << 32)
        return found

    def _series(self, tap: Tap) -> int:
        return 1 + 2 * list(self._ports).index(tap.port) + tap.transmitted

    def _entry(self, tap: Tap) -> TableEntry:
        """The entry that asks for the copies of a tap."""
        gress = _GRESSES[tap.transmitted]
        return TableEntry(
            f"external.{gress}.copies.ports",
            {"port": self._session.numbers[tap.port]},
            f"{gress}.copies.copy",
            {"series": self._series(tap), "session": MIRROR},
        )


def _numbers(tap: Tap) -> str:
    """The register that numbers the copies of a tap."""
    return f"external.{_GRESSES[tap.transmitted]}.copies.copying.numbers"


def _check(capture: Capture, where: str) -> None:
    """PlanError for what a switch cannot do of a capture."""
    if capture.trigger is not None:
        raise PlanError(
            f"{where}: trigger={capture.trigger.kind.name.lower()}; a switch waits for none, because a copy "
            "that is lost on its way to this machine would look like the frame, or be it: use keep=LAST and "
            "stop it, or a testerd"
        )
