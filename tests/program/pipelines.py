# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The pipelines of a chip that run the program itself, in the place of those of the fake chip."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from TesterLibrary.model.units.units import FCS_LENGTH, MIN_FRAME_SIZE
from TesterLibrary.planning.switch.chip import INTERNAL_PIPES, pipe_of
from TesterLibrary.targets.tofino.fake import MakesPipelines
from TesterLibrary.targets.tofino.fake.digests import Digests
from TesterLibrary.targets.tofino.fake.pipelines import Inside, Left, Mirrored, Way
from TesterLibrary.targets.tofino.fake.store import Store, number

from .gress import Passed
from .passing import GREEN, Passing
from .program import P4Program

DRAWN = 0x9E3779B9  # what editors draw at random
_PORTS = "external.ExternalIngressParser.$PORT_METADATA"
_INGRESS, _EGRESS = 0, 1
_TIME = (1 << 48) - 1


@dataclass(frozen=True)
class Octets:
    """A packet within the switch: its bytes, the header that it wears here first."""

    octets: bytes

    @property
    def kind(self) -> int:
        """Its first byte."""
        return self.octets[0]

    @property
    def template(self) -> int:
        """The third byte of the loop header."""
        return self.octets[2]

    @property
    def size(self) -> int:
        """Bytes on the wire, FCS included."""
        return max(MIN_FRAME_SIZE, len(self.octets) + FCS_LENGTH)


def runs_program(program: P4Program, random: Callable[[], int] = lambda: DRAWN) -> MakesPipelines:
    """Makes the pipelines of a switch that runs the program itself. `random` draws numbers of 32 bits."""
    return lambda store, digests: ProgramPipelines(program, store, digests, random)


class ProgramPipelines:
    """The pipelines `external` and `internal` of a program."""

    def __init__(self, program: P4Program, store: Store, digests: Digests, random: Callable[[], int]) -> None:
        self._program, self._store, self._digests, self._random = program, store, digests, random

    def ingress(self, port: int, octets: bytes, now_ns: int) -> Iterator[Way[Octets] | Mirrored[Octets]]:
        """See `Pipelines`."""
        passed = self._run(
            "external",
            _INGRESS,
            octets,
            port,
            ingress_port=port,
            ingress_mac_tstamp=now_ns & _TIME,
        )
        if passed is None:
            return
        for session, copy in passed.copies:
            yield Mirrored(Octets(copy), session)
        if _dropped(passed):
            return
        packet, out = Octets(passed.octets), passed.told[_TO_MANAGER]["ucast_egress_port"]
        yield self._within(packet, out, now_ns) if pipe_of(out) in INTERNAL_PIPES else Way(packet, out)

    def inside(self, packet: Octets, port: int, now_ns: int) -> Inside[Octets]:
        """See `Pipelines`."""
        passed = self._run(
            "internal",
            _INGRESS,
            packet.octets,
            port,
            ingress_port=port,
            ingress_mac_tstamp=now_ns & _TIME,
        )
        if passed is None or _dropped(passed):
            return Inside()
        done, manager = Octets(passed.octets), passed.told[_TO_MANAGER]
        again = self._within(done, manager["ucast_egress_port"], now_ns)
        group = manager["mcast_grp_a"]
        return Inside(again, done if group else None, group)

    def egress(self, packet: Octets, port: int, now_ns: int) -> Left[Octets]:
        """See `Pipelines`."""
        return self._left("external", packet, port, now_ns)

    def changed(self, tables: Iterable[str]) -> None:
        """See `Pipelines`."""
        self._program.changed(tables)

    def _left(self, pipeline: str, packet: Octets, port: int, now_ns: int) -> Left[Octets]:
        """A packet behind the egress of a front-panel port."""
        passed = self._run(
            pipeline,
            _EGRESS,
            packet.octets,
            port,
            egress_port=port,
            global_tstamp=now_ns & _TIME,
            pkt_length=len(packet.octets) + FCS_LENGTH,
        )
        assert passed is not None, "no egress parser drops a packet"
        copies = [Mirrored(Octets(copy), session) for session, copy in passed.copies]
        assert len(copies) <= 1
        dropped = passed.told[_AT_EGRESS]["drop_ctl"] & 1
        return Left(None if dropped else passed.octets, copies[0] if copies else None)

    def _within(self, packet: Octets, port: int, now_ns: int) -> Way[Octets]:
        """The way through the egress of a loopback port."""
        passed = self._run(
            "internal", _EGRESS, packet.octets, port, egress_port=port, global_tstamp=now_ns & _TIME
        )
        assert passed is not None
        return Way(Octets(passed.octets), port)

    def _run(self, pipeline: str, gress: int, octets: bytes, port: int, **intrinsic: int) -> Passed | None:
        passing = Passing(
            self._store,
            pipe_of(port),
            max(MIN_FRAME_SIZE, len(octets) + FCS_LENGTH),
            self._metadata_of(port),
            GREEN,
            self._random,
        )
        passed = self._program.pipelines[pipeline][gress].run(octets, passing, **intrinsic)
        for digest in passing.digests:
            self._digests.tell(digest)
        return passed

    def _metadata_of(self, port: int) -> dict[str, int]:
        entry = self._store.match(_PORTS, port)
        return {name: number(entry, name) for name in entry.data} if entry else {}


_TO_MANAGER = "ingress_intrinsic_metadata_for_tm_t"
_AT_EGRESS = "egress_intrinsic_metadata_for_deparser_t"
_TO_DEPARSER = "ingress_intrinsic_metadata_for_deparser_t"


def _dropped(passed: Passed) -> bool:
    return bool(passed.told[_TO_DEPARSER]["drop_ctl"] & 1)
