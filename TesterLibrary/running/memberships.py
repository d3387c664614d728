# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Multicast groups that ports of the tester have joined: hosts that report them by IGMP.

No query of the device is read. Reports are repeated instead, as a host may do at any time (RFC 2236 §3), more
often than a membership lasts. When a port leaves, a device asks whether somebody else wants the group, and
forgets it if nobody answers: so the other members repeat their reports for as long as it may ask.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

from ..errors import PlanError, TargetError, TesterLibraryError
from ..measurement.multicast import Reported
from ..model.endpoints import AddressRange
from ..model.multicast import Membership
from ..model.quantity import Frequency
from ..model.stream import Stream
from ..model.units import Duration
from .tester import Tester
from .trial import StreamRun

_TIMEOUT = Duration(300 * 10**9)
# After a leave a device asks twice, a second apart, and waits a second for answers to that (RFC 2236 §8.8).
_ASKED_FOR = Duration(3 * 10**9)
_ANSWERS_PER_SECOND = 4  # to each group
_MOST_ANSWERS_PER_SECOND = 2000  # to all groups of a port


class Memberships:
    """The groups of one tester's ports."""

    def __init__(self, tester: Tester) -> None:
        self._tester = tester
        self._held: dict[Membership, StreamRun | None] = {}  # with the run that repeats its reports
        self._answers: list[StreamRun] = []  # reports of members that stay when another one has left
        self._sent = 0

    def join(self, membership: Membership, rate: Frequency, refresh: Duration) -> Reported:
        """Reports each group once, and again and again every `refresh` (0: never) until it is left.

        It is left when the test or the suite that runs is over.

        Raises:
            PlanError: there is no such port, or it is a member of one of the groups already.
        """
        self._listener(membership.port)
        self.refuse_if_joined(membership)
        found = self.report(membership, rate)
        self._held[membership] = self._repeating(membership, refresh) if refresh.ns else None
        self._tester.scopes.at_end(lambda: self._left(membership, rate))
        return found

    def refuse_if_joined(self, membership: Membership) -> None:
        """PlanError if the port is a member of one of these groups already."""
        for held in self._of(membership.port):
            if held.overlaps(membership):
                raise PlanError(
                    f"port {held.port!r} has joined {held.groups} already; call Leave Group first"
                )

    def leave(self, port: str, groups: Sequence[AddressRange], rate: Frequency) -> tuple[Reported, ...]:
        """Leaves groups as they were joined; all of the port, if none is given.

        Raises:
            TesterLibraryError: the port is no member of one of them.
        """
        held = {membership.groups: membership for membership in self._of(port)}
        for given in groups:
            if given not in held:
                known = ", ".join(map(str, held)) or "none"
                raise TesterLibraryError(f"port {port!r} has not joined {given}; it has joined {known}")
        return tuple(self._leave(held[given], rate) for given in groups or held)

    def members(self, groups: AddressRange) -> tuple[str, ...]:
        """The ports that have joined all of these groups, at one time."""
        return tuple(
            held.port for held in self._held if groups.first in held.groups and groups.last in held.groups
        )

    def report(self, membership: Membership, rate: Frequency) -> Reported:
        """Reports each group once; the port is a member as long as the device remembers it."""
        self._tester.joined.add(membership)
        return self._send("join", membership.joining(self._listener(membership.port), rate), membership)

    def withdraw(self, membership: Membership, rate: Frequency) -> Reported:
        """Says once of each group that the port does not want it any more."""
        self._tester.joined.discard(membership)
        self._end_answers()
        left = self._send("leave", membership.leaving(self._listener(membership.port), rate), membership)
        self._answer(membership)
        return left

    def close(self) -> None:
        """Forgets everything: the tester, which is closed next, ends it."""
        self._held.clear()
        self._answers.clear()

    def _answer(self, left: Membership) -> None:
        """Lets the members that stay say so, for as long as the device may ask because of a leave."""
        for held in [held for held in self._held if held.port != left.port and held.overlaps(left)]:
            often = min(_ANSWERS_PER_SECOND * held.groups.count, _MOST_ANSWERS_PER_SECOND)
            stream = held.joining(self._listener(held.port), Frequency(Fraction(often)))
            self._sent += 1
            answers = replace(stream, name=f"answer {held}")  # beside its reports that are repeated
            run = StreamRun(self._tester, f"answers-{self._sent}", [answers])
            run.load()
            self._answers.append(run)
            run.start(_ASKED_FOR)
        if self._answers:
            self._tester.scopes.at_end(self._end_answers)

    def _end_answers(self) -> str:
        """Takes off the wire what answers. Nobody is told: it sends next to nothing."""
        answers, self._answers = self._answers, []
        for run in answers:
            with suppress(TargetError):
                self._tester.target.stop([run.name])
            run.unload()
        return ""

    def _of(self, port: str) -> Iterator[Membership]:
        return (held for held in self._held if held.port == port)

    def _leave(self, membership: Membership, rate: Frequency) -> Reported:
        run = self._held.pop(membership)
        if run:
            with suppress(TargetError):
                self._tester.target.stop([run.name])
            run.unload()
        return self.withdraw(membership, rate)

    def _left(self, membership: Membership, rate: Frequency) -> str:
        """Leaves what nobody has left. A membership sends next to nothing: nobody is told."""
        if membership in self._held:
            self._leave(membership, rate)
        return ""

    def _repeating(self, membership: Membership, refresh: Duration) -> StreamRun:
        rate = Frequency(Fraction(membership.groups.count * 10**9, refresh.ns))
        stream = membership.joining(self._listener(membership.port), rate)
        self._sent += 1
        run = StreamRun(self._tester, f"members-{self._sent}", [replace(stream, start_after=refresh)])
        run.load()
        try:
            run.start()
        except BaseException:
            run.unload()
            raise
        return run

    def _send(self, act: str, stream: Stream, membership: Membership) -> Reported:
        tester = self._tester
        self._sent += 1
        with StreamRun(tester, f"{act}-{self._sent}", [stream]).loaded() as run:
            run.start(packets=membership.groups.count)
            tester.target.wait([run.name], timeout=_TIMEOUT)
            trial = run.so_far()
        counted = trial.streams[0].counters
        return Reported(counted.tx_packets, counted.first_tx_ns, counted.last_tx_ns, trial.objections)

    def _listener(self, port: str) -> str:
        """Another port: reports are to reach a router there, if there is one."""
        ports = self._tester.ports
        if port not in ports:
            raise PlanError(f"{port!r} is no port of this tester; it has {', '.join(ports)}")
        others = [name for name in ports if name != port]
        if not others:
            raise PlanError(f"port {port!r} is the only one; a group comes from another one")
        return others[0]
