# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Opens the tester of a testbed, or its testers, which then are one target."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING

from ..testbeds import RunningTestbed
from ..testbeds.simulated import SimulatedDevice
from ..testbeds.testbed import JoinedTester, Testbed
from .base import Target

if TYPE_CHECKING:
    from .simulated import SimulatedTarget

Lease = Callable[[Target, Testbed], tuple[str, ...]]


def open_target(testbed: RunningTestbed) -> Target:
    """The tester of a testbed: simulated, in a switch, reached at its address, or started on this machine.

    A driver is imported when it is opened: each takes long, and a session needs one of them.
    """
    return open_leased(testbed, lambda _target, _testbed: ())[0]


def open_leased(testbed: RunningTestbed, lease: Lease) -> tuple[Target, tuple[str, ...]]:
    """The tester, or all testers as one target, and what `lease` says when it has acquired each.

    Leases of several testers are acquired in the order of their addresses, so that two clients which want the
    same testers do not wait for each other. If one tester is refused, those before it are closed.
    """
    with ExitStack() as closing:
        if testbed.testbed.testers:
            target, sentences = _open_joined(testbed, lease, closing)
        else:
            target = _open(testbed)
            closing.callback(target.close)
            sentences = lease(target, testbed.testbed)
        closing.pop_all()
    return target, sentences


def _open_joined(testbed: RunningTestbed, lease: Lease, closing: ExitStack) -> tuple[Target, tuple[str, ...]]:
    from .joined import JoinedTarget

    targets: dict[str, Target] = {}
    sentences: list[str] = []
    simulated = _simulated(testbed) if testbed.testbed.dut.is_simulated else {}
    for tester in sorted(testbed.testbed.testers, key=_lease_order):
        view = testbed.of_tester(tester)
        target = targets[tester.name] = simulated.get(tester.name) or _open(view)
        closing.callback(target.close)
        sentences += (f"tester {tester.name!r}: {text}" for text in lease(target, view.testbed))
    joined = JoinedTarget({tester.name: targets[tester.name] for tester in testbed.testbed.testers})
    return joined, tuple(sentences)


def _lease_order(tester: JoinedTester) -> tuple[str, str]:
    return tester.spec.address or "", tester.name


def _simulated(testbed: RunningTestbed) -> dict[str, Target]:
    from .fake.shared import SharedFake

    shared = SharedFake(
        _open_simulated(testbed.testbed),
        {tester.name: tester.ports for tester in testbed.testbed.testers},
    )
    return dict(shared.testers)


def _open_simulated(testbed: Testbed) -> SimulatedTarget:
    from .fake import fake_port
    from .simulated import SimulatedTarget

    ports = [fake_port(p.name, link_speed_bps=p.speed.bps) for p in testbed.ports]
    return SimulatedTarget(SimulatedDevice.of(testbed.dut.options), ports)


def _open(testbed: RunningTestbed) -> Target:
    spec = testbed.testbed.tester
    if testbed.testbed.dut.is_simulated:
        return _open_simulated(testbed.testbed)
    if spec.switch is not None:
        from .tofino.session.testbed_switch import switch_on

        return switch_on(testbed, spec.switch)
    if spec.address is None:
        from .engine.process import EngineProcess

        return EngineProcess.launch(
            ports=testbed.port_specs,
            cpus=testbed.engine_cpus,
            queues=spec.queues,
            memory_mib=spec.memory_mib,
            huge_pages=spec.huge_pages,
            command_prefix=testbed.command_prefix,
        ).target()
    from .engine.client import EngineTarget

    return EngineTarget.connect(spec.address, certificates=spec.certificates)
