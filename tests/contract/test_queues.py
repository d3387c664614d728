# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Several queues of a port, served by several workers: what is counted, not known, and refused."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from TesterLibrary.commands.main import main
from TesterLibrary.errors import PlanError, TestbedError
from TesterLibrary.measurement.snapshot import StreamCounters
from TesterLibrary.model.editor import Editor, FieldPath, Sweep
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.targets.engine.process import EngineProcess
from TesterLibrary.testbeds.namespace import Namespace
from TesterLibrary.testbeds.privilege import is_privileged

from .linked import wait_for_link
from .rig import Rig

_PACKETS = 2000
_PORTS = Editor(FieldPath.parse("UDP.dport"), Sweep("1024", "2047"))
_CPUS = sorted(os.sched_getaffinity(0))[-2:]


@pytest.fixture(autouse=True)
def _able(request: pytest.FixtureRequest) -> None:
    request.getfixturevalue("engine")  # skips, or fails, where there is none


@contextmanager
def two_queues(ports: Sequence[str]) -> Iterator[Rig]:
    """A tester of two workers with the ports p1 and p2, each with two queues."""
    specs = {f"p{number}": spec for number, spec in enumerate(ports, 1)}
    process = EngineProcess.launch(ports=specs, cpus=_CPUS, queues=2)
    try:
        yield Rig(process.target())
    finally:
        process.stop()


@contextmanager
def cable(driver: str, channels: int = 2) -> Iterator[Rig]:
    """Two queues on both ends of a virtual cable with so many channels."""
    if not is_privileged():
        pytest.skip("needs root for a network namespace")
    namespace = Namespace.create()
    namespace.silence()
    namespace.without_ipv6()
    many = f"numrxqueues {channels} numtxqueues {channels}"
    commands = [f"ip link add t1 {many} type veth peer name t2 {many}"]
    commands += [f"ethtool -L {end} rx {channels} tx {channels}" for end in ("t1", "t2") if channels > 1]
    with namespace.entered():
        for command in [*commands, "ip link set t1 up", "ip link set t2 up"]:
            subprocess.run(command.split(), check=True, capture_output=True)
        wait_for_link("t2")
        with two_queues([f"{driver}:t1", f"{driver}:t2"]) as rig:
            yield rig


def _exact(counted: StreamCounters) -> None:
    sent = counted.tx_packets
    assert sent > 0
    assert (counted.rx_packets, counted.latency.count, counted.order.next_sequence) == (sent, sent, sent)
    assert (counted.order.duplicated, counted.order.late, counted.rx_corrupted) == (0, 0, 0)


def _both_ways(rig: Rig) -> None:
    """Streams on both queues in both directions keep their order."""
    names = ["one", "two", "three", "four"]
    for number, name in enumerate(names, 1):
        rig.load(rig.plan(name, first_id=number, back=number > 2))
    snapshot = rig.run(names, packets=_PACKETS)
    for counted in snapshot.streams:
        _exact(counted)
        assert counted.rx_out_of_order == 0
        assert counted.outages is not None
        assert counted.variation is not None
    for port in ("p1", "p2"):
        counts = snapshot.port(port)
        assert (counts.rx_missed, counts.rx_unseen or 0) == (0, 0)


@pytest.mark.skipif(len(_CPUS) < 2, reason="needs two CPUs")
def test_streams_are_exact_on_both_queues_of_a_loop() -> None:
    with two_queues(["loop:x", "loop:x"]) as rig:
        assert [port.queue_cpus for port in rig.target.capabilities().ports] == [tuple(_CPUS)] * 2
        _both_ways(rig)


@pytest.mark.skipif(len(_CPUS) < 2, reason="needs two CPUs")
def test_streams_are_exact_on_both_channels_of_a_cable() -> None:
    with cable("af_xdp") as rig:
        assert rig.target.capabilities().port("p1").driver == "net_af_xdp"
        _both_ways(rig)


@pytest.mark.skipif(len(_CPUS) < 2, reason="needs two CPUs")
def test_flows_on_several_queues_are_counted_and_their_order_is_not_known() -> None:
    """The kernel shares the flows of an interface among AF_PACKET sockets."""
    with cable("af_packet", channels=1) as rig:
        stack = HeaderStack.parse("Ether / IP(dst=198.18.0.77) / UDP")
        rig.load(rig.plan("many", frame_size=128, headers=stack, editors=(_PORTS,)))
        rig.load(rig.plan("one", first_id=2))
        many, one = rig.run(["many", "one"], packets=_PACKETS).streams
    _exact(many)
    assert (many.rx_out_of_order, many.order.behind, many.order.extent_max) == (None, None, None)
    assert (many.outages, many.variation, many.rx_lost_crowded) == (None, None, None)
    _exact(one)
    assert one.rx_out_of_order == 0


def test_a_cable_with_another_number_of_channels_is_refused_with_the_command() -> None:
    refusal = r"t1 receives on 1 channel \(ethtool -L t1 rx 2 makes it 2\); AF_XDP takes one for each"
    with pytest.raises(TestbedError, match=refusal), cable("af_xdp", channels=1):
        pass


def test_what_one_worker_has_to_count_is_refused_by_name() -> None:
    with two_queues(["loop:x", "loop:x"]) as rig:
        stack = HeaderStack.parse("Ether / IP(dst=198.18.0.77) / UDP")
        plan = rig.plan("flows", frame_size=128, headers=stack, editors=(_PORTS,), count_flows=True)
        with pytest.raises(PlanError, match=r"p2.* has 2 queues, and flow counters need a port with one"):
            rig.target.load(plan)


def test_queues_and_their_cpus_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    process = EngineProcess.launch(ports={"p1": "loop:x"}, cpus=_CPUS, queues=2)
    testbed = tmp_path / "lab.yaml"
    testbed.write_text(
        f"version: 1\nname: lab\ntester: {{address: '{process.address}'}}\n"
        "ports: [{name: p1, speed: 1 Gbps}]\ndut: {name: Switch, kind: physical}\n"
    )
    try:
        assert main(["info", str(testbed)]) == 0
    finally:
        process.stop()
    shown = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["p1", "net_ring"] in shown
    for queue in range(2):
        assert ["queue", f"{queue}:", "CPU", str(_CPUS[queue % len(_CPUS)])] in shown
