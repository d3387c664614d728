# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Multicast groups that ports of the tester have joined: hosts that report them by IGMP or MLD.

Reports and leaves are streams, so that it is known exactly when they left. Between the two a table answers
the queries of the device (`igmp-host`, `mld-host`): so a device that asks who else wants a group, because a
member has left it, hears those that stay, and nobody else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from ..errors import PlanError, TargetError, TesterLibraryError
from ..measurement.multicast import Reported
from ..model.endpoints import AddressRange
from ..model.membership import Membership
from ..model.stream import Stream
from ..model.units.quantity import Frequency
from ..model.units.units import Duration
from .named import Named
from .running_end import Answering
from .scope import Running
from .shot import Shot
from .tester import Tester
from .trial import StreamRun


@dataclass(frozen=True)
class JoinManner:
    """How a host joins groups, and whether it stays in touch with its querier."""

    rate: Frequency  # of reports, and of leaves
    robustness: int = 2  # times that each group is reported (RFC 2236 §8.1, RFC 3810 §9.1)
    interval: Duration = Duration(10**9)  # between two reports of a group (RFC 3376 §8.11, RFC 3810 §9.11)
    answers: bool = True  # whether it answers queries

    def __post_init__(self) -> None:
        if self.robustness < 1:
            raise PlanError(f"robustness={self.robustness} reports nothing; give 1 or more")
        if self.robustness > 1 and self.interval.ns <= 0:
            raise PlanError(f"an interval of {self.interval} between reports is too short; give more than 0")


class Memberships:
    """The groups of one tester's ports."""

    def __init__(self, tester: Tester) -> None:
        self._tester = tester
        # With the run that repeats its reports.
        self._held = Named[Membership, StreamRun | None]("membership", "Join Group")
        self._hosts: dict[Membership, Answering] = {}  # those that answer queries
        self._jobs = 0

    def join(self, membership: Membership, manner: JoinManner) -> Reported:
        """Reports each group, and answers queries for it, until it is left.

        It is left when the test or the suite that runs is over.

        Raises:
            PlanError: there is no such port, it is a member of one of the groups already, or the tester
                cannot answer queries.
        """
        self._listener(membership.port)
        self.refuse_if_joined(membership)
        found = self.report(membership, manner.rate, answers=manner.answers)
        repeating = self._repeating(membership, manner) if manner.robustness > 1 else None
        scopes, end = self._tester.scopes, partial(self._end_left, rate=manner.rate)
        self._held.begin(membership, repeating, scopes, end, Running.MEMBER)
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

    def report(self, membership: Membership, rate: Frequency, *, answers: bool | None = None) -> Reported:
        """Reports each group once, and from then on answers queries for it.

        `answers`: whether it does; None: if the tester can. PlanError if it cannot and is to.
        """
        if answers is not False:
            self._answer(membership, required=bool(answers))
        try:
            found = self._send("join", membership, rate)
        except BaseException:
            self._fall_silent(membership)
            raise
        self._tester.air.joined.add(membership)
        return found

    def withdraw(self, membership: Membership, rate: Frequency) -> Reported:
        """Says once of each group that the port does not want it any more, and answers no query for it."""
        self._tester.air.joined.discard(membership)
        self._fall_silent(membership)
        return self._send("leave", membership, rate)

    def close(self) -> None:
        """Forgets everything: the tester, which is closed next, ends it."""
        self._held.clear()
        self._hosts.clear()

    def _answer(self, membership: Membership, *, required: bool) -> None:
        try:
            self._hosts[membership] = Answering(self._tester, self._name("host"), membership.host())
        except PlanError as problem:
            if required:
                raise PlanError(
                    f"port {membership.port!r} cannot answer queries for {membership.groups}: {problem}. "
                    "Give answer=False, and the device forgets the groups some time after their reports"
                ) from None

    def _fall_silent(self, membership: Membership) -> None:
        host = self._hosts.pop(membership, None)
        if host is not None:
            host.stop()

    def _of(self, port: str) -> Iterator[Membership]:
        return (held for held in self._held if held.port == port)

    def _leave(self, membership: Membership, rate: Frequency) -> Reported:
        run = self._held.pop(membership)
        if run:
            with suppress(TargetError):
                self._tester.target.stop([run.name])
            run.unload()
        return self.withdraw(membership, rate)

    def _end_left(self, membership: Membership, rate: Frequency) -> str:
        """Leaves groups that are still joined. A membership sends next to nothing: nobody is told."""
        if membership in self._held:
            self._leave(membership, rate)
        return ""

    def _repeating(self, membership: Membership, manner: JoinManner) -> StreamRun:
        count = membership.groups.count
        rate = Frequency(Fraction(count * 10**9, manner.interval.ns))
        stream = replace(self._stream("join", membership, rate), start_after=manner.interval)
        run = StreamRun(self._tester, self._name("members"), [stream])
        run.load()
        try:
            run.start(packets=(manner.robustness - 1) * count)
        except BaseException:
            run.unload()
            raise
        return run

    def _send(self, act: str, membership: Membership, rate: Frequency) -> Reported:
        stream = self._stream(act, membership, rate)
        self._jobs += 1
        shot = Shot(self._tester, act, [stream], number=self._jobs)
        with shot.sent(packets=membership.groups.count) as run:
            trial = run.so_far()
        counted = trial.streams[0].counters
        return Reported(counted.tx_packets, counted.first_tx_ns, counted.last_tx_ns, trial.objections)

    def _stream(self, act: str, membership: Membership, rate: Frequency) -> Stream:
        make = membership.joining if act == "join" else membership.leaving
        listener = self._listener(membership.port)
        return make(self._tester.ports[membership.port], listener, rate)

    def _name(self, what: str) -> str:
        """A name that no other job has."""
        self._jobs += 1
        return f"{what}-{self._jobs}"

    def _listener(self, port: str) -> str:
        """Another port: reports are to reach a router there, if there is one."""
        ports = self._tester.ports
        if port not in ports:
            raise PlanError(f"{port!r} is no port of this tester; it has {', '.join(ports)}")
        others = [name for name in ports if name != port]
        if not others:
            raise PlanError(f"port {port!r} is the only one; a group comes from another one")
        return others[0]
