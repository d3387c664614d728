# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Opens a tester on a testbed: everything up in order, and down again in reverse."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

from ..errors import TestbedError, TesterLibraryError
from ..files.calibration import stored_calibration
from ..files.evidence_limits import evidence_limits
from ..measurement.evidence import EvidenceLimits
from ..model.ports import Port
from ..model.responder import Clients, Responder
from ..model.trigger import Trigger
from ..model.units.units import Bandwidth, Duration
from ..reporting.record.progress import Console
from ..reporting.record.recorder import Recorder
from ..targets.base import Capabilities, PortInfo, Target, part_of
from ..targets.dead_clients import clear_up, take_from_dead
from ..targets.engine.owner import OWNER
from ..targets.opening import open_leased
from ..targets.parts import LeaseTerms
from ..testbeds import RunningTestbed, open_testbed
from ..testbeds.run_testbed import check_testbed_of_run
from ..testbeds.testbed import (
    LEASE_TIMES,
    Testbed,
    TestbedPort,
    TesterSpec,
    is_lease_time,
)
from .capture import Captures
from .clock import Clock
from .connections import Connections
from .device_words import ask_device
from .hooks.hook_process import LeftBehind
from .hosts import Hosts
from .memberships import Memberships
from .paths import Paths
from .queries import Queries
from .scope import Scopes
from .tester import Tester
from .traffic import Traffic
from .trial_rules import TrialRules

_XDP = "net_af_xdp"  # takes what is in a frame, and nothing beside it
_LEASE = Duration(60 * 10**9)  # so long after this process has died its traffic stops
_MODEL_ERROR = Fraction(1, 2)  # of a rate: the meters of a model run by another clock than its stamps


@dataclass
class OpenTestbed:
    """A tester on its testbed, ready for trials."""

    testbed: RunningTestbed
    tester: Tester
    traffic: Traffic
    connections: Connections
    captures: Captures
    paths: Paths
    hosts: Hosts
    memberships: Memberships
    queries: Queries
    _closing: ExitStack
    found: tuple[str, ...] = ()  # what the tester still had of other clients, as sentences
    profile: str = ""  # of durations and repetitions, by its name
    left_behind: LeftBehind = field(default_factory=LeftBehind)  # by the hooks of its device

    @property
    def name(self) -> str:
        """Name of the testbed."""
        return self.testbed.testbed.name

    def record(self) -> None:
        """Writes down who tests what, and makes it the place of the records that follow."""
        self.tester.recorder.run(
            testbed=self.testbed.testbed,
            capabilities=self.tester.capabilities,
            seed=self.tester.seed,
            notes=(*self.testbed.notes, *self.found),
            calibration=self.tester.calibration,
            profile=self.profile,
        )

    def stop_everything(self) -> None:
        """Takes everything off the wire; what cannot be stopped does not keep the rest from being stopped."""
        with ExitStack() as stopping:
            stopping.callback(self.captures.stop_all)
            stopping.callback(self.queries.stop_all)
            stopping.callback(self.paths.stop)
            stopping.callback(self.connections.stop, (), Responder)
            stopping.callback(self.connections.stop, (), Trigger)
            stopping.callback(self.traffic.stop, ())
            stopping.callback(self.connections.stop, (), Clients)

    def close(self) -> None:
        """Ends the tester if we started it and removes the testbed if we built it."""
        self._closing.close()


@dataclass(frozen=True)
class LeaseWish:
    """The lease of its tester that a suite asks for; the rest is in the testbed file, or the default."""

    ttl: Duration | None = None  # 0: no lease
    owner: str | None = None
    force: bool = False

    def __post_init__(self) -> None:
        if self.ttl is not None and not is_lease_time(self.ttl):
            raise TesterLibraryError(f"lease={self.ttl} is no time of a lease; give {LEASE_TIMES}")
        if self.force and self.ttl is not None and not self.ttl.ns:
            raise TesterLibraryError("force=True takes the lease over, and lease=0 asks for none; give one")

    def terms(self, testbed: Testbed) -> LeaseTerms | None:
        """The lease to ask the tester for; None if none is to be acquired."""
        given = testbed.tester.lease if self.ttl is None else self.ttl
        has_none = testbed.tester.switch is not None or testbed.dut.is_simulated
        if has_none and not (given or self.owner is not None or self.force):
            return None
        ttl = _LEASE if given is None else given
        return LeaseTerms(OWNER if self.owner is None else self.owner, ttl, self.force) if ttl.ns else None


def open_tester(
    name: str,
    *,
    seed: int,
    recorder: Recorder,
    progress: Console,
    scopes: Scopes | None = None,
    profile: str = "",
    lease: LeaseWish = LeaseWish(),
    shared: Path | None = None,
) -> OpenTestbed:
    """Sets the testbed up, starts or reaches its tester, acquires its lease and resolves gateways.

    What was set up is taken down again if a later step fails. Jobs that clients left in a tester when they
    died are removed, and a lease that a process of the same owner left is ended; `OpenTestbed.found` says so.

    Raises:
        TestbedError: the testbed file is wrong or cannot be set up here.
        TargetError: the tester cannot be started or reached, or somebody else has its lease (LeaseError).
        PlanError: a lease is asked for of a tester that has none.
        Inconclusive: a gateway does not answer.
        TesterLibraryError: `tester certify` or `tester run` runs the suite on another testbed.
    """
    check_testbed_of_run(name)
    with ExitStack() as stack:
        testbed = stack.enter_context(open_testbed(name, shared))
        target, found = open_leased(testbed, lambda target, bed: _leased(target, lease.terms(bed)))
        stack.callback(target.close)
        capabilities = target.capabilities()
        capabilities = _with_far_ends(capabilities, testbed.testbed)
        found += _said_of_tags(capabilities)
        ports = {port.name: described_port(port, capabilities) for port in testbed.testbed.ports}
        if not (testbed.testbed.dut.is_embedded or testbed.testbed.dut.is_simulated):
            found += nominal_speeds(testbed.testbed.ports, capabilities)
        tester = Tester(
            target=target,
            capabilities=capabilities,
            ports=ports,
            gateways={name: _gateway(target, port) for name, port in ports.items() if port.gateway},
            recorder=recorder,
            progress=progress,
            rules=TrialRules(limits=limits_of(*testbed.testbed.specs)),
            seed=seed,
            backlog_drops=testbed.backlog_drops,
            calibration=stored_calibration(testbed.testbed.name),
            scopes=scopes or Scopes(),
            clock=_clock_of(target),
            forwarding=testbed.testbed.dut.forwards,
            device_is_new=testbed.testbed.dut.is_embedded or testbed.testbed.dut.is_simulated,
        )
        captures, traffic, connections = Captures(tester), Traffic(tester), Connections(tester)
        hosts = Hosts(testbed, tester.recorder.directory / "hosts")
        paths, memberships = Paths(tester, hosts), Memberships(tester)
        queries = Queries(tester, connections)
        # Before the testbed goes, and after its traffic has ended.
        stack.callback(ask_device, testbed.testbed.dut, recorder, "after")
        left_behind = LeftBehind()
        for part in (left_behind, captures, queries, connections, traffic, paths, memberships, hosts):
            stack.callback(part.close)
        opened = OpenTestbed(
            testbed,
            tester,
            traffic,
            connections,
            captures,
            paths,
            hosts,
            memberships,
            queries,
            stack,
            found,
            profile,
            left_behind,
        )
        opened.record()
        ask_device(testbed.testbed.dut, recorder, "before")
        return replace(opened, _closing=stack.pop_all())
    raise AssertionError("unreachable: ExitStack does not swallow errors")


def _leased(target: Target, terms: LeaseTerms | None) -> tuple[str, ...]:
    """Acquires the lease. Returns sentences on what other clients had left in the tester."""
    if target.leases is None and terms is None:
        return ()
    leases = part_of(target, "leases")
    sentences = clear_up(target) if leases.is_free() else ()  # jobs of dead clients must block no client
    if terms is None:
        return sentences
    if not terms.force and (ended := take_from_dead(leases, terms)):
        return (*sentences, ended)
    before = leases.acquire(terms)
    return sentences if before is None else (*sentences, f"the tester was taken over by force from {before}")


def _with_far_ends(capabilities: Capabilities, testbed: Testbed) -> Capabilities:
    """The ports with what takes VLAN tags off frames before they arrive, or leaves them unfinished.

    Embedded devices do neither, and interfaces of another machine are not seen from here.
    """
    if testbed.dut.is_embedded:
        return capabilities
    return replace(
        capabilities,
        ports=tuple(
            port if testbed.spec_of(port.name).address else _with_far_end(port) for port in capabilities.ports
        ),
    )


def _with_far_end(port: PortInfo) -> PortInfo:
    from ..testbeds.far_end import KEEPS_TAGS, LEAVES_WORK, far_end  # reads /proc when it is loaded

    end = far_end(port.interface)
    if end is None:
        return port
    if end.features & KEEPS_TAGS and port.driver == _XDP:
        port = replace(port, loses_tags=_lost_tags(end.name, port.interface))
    if end.features & LEAVES_WORK:
        port = replace(port, gets_unfinished=_unfinished(end.name, port.interface))
    return port


def _lost_tags(end: str, interface: str) -> str:
    return (
        f"frames that arrive may have lost their VLAN tag, which {end}, the other end of {interface}, hands "
        f"over beside the frame; before the tester is opened, run ethtool -K {end} txvlan off "
        f"tx-vlan-stag-hw-insert off in the device, or give the port interface: af_packet:{interface}"
    )


def _unfinished(end: str, interface: str) -> str:
    return (
        f"{end}, the other end of {interface}, sends packets without checksums and longer than its MTU, for "
        "hardware to finish; there is none, so connections hang: where it is, run "
        f"ethtool -K {end} tx off tso off gso off gro off"
    )


def _said_of_tags(capabilities: Capabilities) -> tuple[str, ...]:
    """One sentence for all ports, for whoever makes such a device makes all of its ports so."""
    losing = [port for port in capabilities.ports if port.loses_tags]
    others = [port.name for port in losing[1:]]
    likewise = f" (so it is with {', '.join(others)})" if others else ""
    return tuple(f"port {port.name}: {port.loses_tags}{likewise}" for port in losing[:1])


def limits_of(*testers: TesterSpec) -> EvidenceLimits:
    """The limits of evidence. A model of a chip keeps no rate; a run on it certifies nothing.

    Raises:
        TesterLibraryError: the file of limits is wrong.
    """
    limits = evidence_limits()
    is_model = any(tester.switch and tester.switch.model for tester in testers)
    return replace(limits, max_rate_error=_MODEL_ERROR) if is_model else limits


def _clock_of(target: Target) -> Clock:
    """The clock of a simulated tester, or else that of this machine."""
    return Clock.of(target.clock) if target.clock else Clock()


def nominal_speeds(ports: Iterable[TestbedPort], capabilities: Capabilities) -> tuple[str, ...]:
    """The line rates that the testbed names of links that have no speed of their own, in one sentence."""
    names = [f"{port.name} {port.speed}" for port in ports if not capabilities.port(port.name).link_speed_bps]
    if not names:
        return ()
    return (f"line rate is what the testbed says ({', '.join(names)}): the links have no speed of their own",)


def described_port(port: TestbedPort, capabilities: Capabilities) -> Port:
    """A port as the testbed names it, with what the tester knows of it.

    Raises:
        TestbedError: the tester has no such port, or its link has another speed than the testbed says.
    """
    try:
        info = capabilities.port(port.name)
    except KeyError as error:
        raise TestbedError(f"testbed port {port.name!r}: {error.args[0]}") from None
    if info.link_speed_bps and info.link_speed_bps != port.speed.bps:
        link = Bandwidth(info.link_speed_bps)
        raise TestbedError(
            f"testbed port {port.name!r}: speed is {port.speed}, and its link has {link}, so 100 % would be "
            f"another load; write speed: {link}, or set the link to {port.speed}"
        )
    return port.described_by(info.mac, info.max_frame_size)


def _gateway(target: Target, port: Port) -> bytes:
    """The MAC address of a port's gateway; from the question the gateway learns ours (RFC 826)."""
    if port.gateway is None or port.address is None:
        raise TestbedError(
            f"port {port.name!r} has a gateway but no address; give it one in the testbed file"
        )
    return part_of(target, "frames").resolve(
        port.name, port.gateway, source=port.address.ip, source_mac=port.mac
    )
