# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Interfaces of a user, in a namespace of their own: what the engine changes of them and puts back, what it
says of frames that it does not get, and what a killed engine leaves."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import pytest

from TesterLibrary.errors import TestbedError
from TesterLibrary.measurement.port_evidence import PortEvidence
from TesterLibrary.measurement.snapshot import PortCounters
from TesterLibrary.targets.base import PortInfo
from TesterLibrary.targets.engine.client import EngineTarget
from TesterLibrary.targets.engine.leftovers import restore_interfaces
from TesterLibrary.targets.engine.process import EngineProcess
from TesterLibrary.testbeds.namespace import Namespace
from TesterLibrary.testbeds.privilege import is_privileged

from .rig import PATIENCE, Rig

PAUSE = bytes.fromhex("0180c2000001 020000000201 8808 0001 ffff") + bytes(42)
_PATIENCE_S = 60.0  # for the kernel of a busy machine
_OFFLOADS = ("generic-receive-offload", "rx-vlan-offload")


class Lab:
    """A namespace with `t1`, which the tester gets, and `d1`, the other end of its cable."""

    def __init__(self, queues: int = 1) -> None:
        self._inside = Namespace.create()
        self._inside.silence()
        self._inside.without_ipv6()
        many = f"numrxqueues {queues} numtxqueues {queues}"
        self.run(f"ip link add t1 {many} type veth peer name d1 {many}")
        for end in ("t1", "d1"):
            if queues > 1:
                self.run(f"ethtool -L {end} rx {queues} tx {queues}")
            self.run(f"ethtool -K {end} tx off")
            self.run(f"ip link set {end} up")

    def run(self, command: str) -> str:
        with self._inside.entered():
            return subprocess.run(command.split(), check=True, capture_output=True, text=True).stdout

    @contextmanager
    def engine(self, *specs: str, prefix: Sequence[str] = ()) -> Iterator[tuple[EngineProcess, EngineTarget]]:
        """With the ports p1, p2 and so on."""
        ports = {f"p{number}": spec for number, spec in enumerate(specs, 1)}
        with self._inside.entered():
            process = EngineProcess.launch(ports=ports, command_prefix=prefix)
        try:
            yield process, process.target()
        finally:
            process.stop()

    def restore(self) -> Sequence[str]:
        with self._inside.entered():
            return restore_interfaces()

    def send(self, frames: Sequence[bytes], *, pace: int = 50) -> None:
        """Sends frames from the other end, so many at a time."""
        with self._inside.entered():
            sender = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        with sender:
            sender.bind(("d1", 0))
            for number, frame in enumerate(frames):
                sender.send(frame)
                if number % pace == pace - 1:
                    time.sleep(0.002)

    def link(self) -> dict[str, object]:
        shown: dict[str, object] = json.loads(self.run("ip -details -json link show t1"))[0]
        return shown

    def offloads(self) -> dict[str, str]:
        lines = self.run("ethtool -k t1").splitlines()
        shown = dict(line.strip().split(": ", 1) for line in lines if ": " in line)
        return {name: shown[name] for name in _OFFLOADS}


def flows(count: int) -> list[bytes]:
    """UDP frames, each of another flow."""
    head = bytes.fromhex("0200000001ff 020000000201 0800 4500 002e 0000 0000 4011 0000 c6120001 c6120002")
    return [head + (1024 + n).to_bytes(2, "big") + b"\0\7\0\x1a\0\0" + b"\0" * 18 for n in range(count)]


def until(target: EngineTarget, holds: Callable[[PortCounters], bool]) -> PortCounters:
    deadline = time.monotonic() + _PATIENCE_S
    while not holds(found := target.snapshot().port("p1")) and time.monotonic() < deadline:
        time.sleep(0.02)
    return found


def info(target: EngineTarget) -> PortInfo:
    return target.capabilities().port("p1")


@pytest.fixture(autouse=True)
def _able(request: pytest.FixtureRequest) -> None:
    request.getfixturevalue("engine")  # skips, or fails, where there is none
    if not is_privileged():
        pytest.skip("needs root for a network namespace")


@pytest.fixture
def lab() -> Lab:
    return Lab()


def test_what_changes_frames_is_off_and_put_back(lab: Lab) -> None:
    lab.run("ethtool -K t1 gro on")
    before = lab.offloads()
    assert set(before.values()) == {"on"}
    with lab.engine("af_packet:t1") as (_, target):
        assert set(lab.offloads().values()) == {"off"}
        assert (info(target).notes, info(target).rehearses) == ((), True)
        assert target.snapshot().port("p1").objections == ()
    assert lab.offloads() == before
    assert "PROMISC" not in lab.link()["flags"]  # type: ignore[operator]
    assert not lab.link().get("altnames")


@pytest.mark.parametrize("spec", ["af_packet:t1", "af_xdp:t1"])
def test_what_a_killed_engine_left_is_put_back(lab: Lab, spec: str) -> None:
    before = lab.offloads()
    with lab.engine(spec) as (process, target):
        assert lab.restore() == ()  # it lives
        assert info(target).driver == f"net_{spec[:-3]}"
        os.kill(process.pid, signal.SIGKILL)
        process.obituary()
    left = lab.link()
    assert "PROMISC" in left["flags"]  # type: ignore[operator]
    assert ("xdp" in left) == spec.startswith("af_xdp")
    (restored,) = lab.restore()
    assert re.fullmatch(
        r"t1: (XDP program taken away, )?promiscuous mode off, rx-vlan-hw-parse on, "
        r"rx-vlan-stag-hw-parse on, which a tester that was killed had changed",
        restored,
    )
    assert ("XDP" in restored) == spec.startswith("af_xdp")
    after = lab.link()
    assert "PROMISC" not in after["flags"]  # type: ignore[operator]
    assert "xdp" not in after
    assert lab.offloads() == before
    assert lab.restore() == ()


def test_the_next_engine_puts_back_what_a_killed_one_left(lab: Lab) -> None:
    before = lab.offloads()
    with lab.engine("af_xdp:t1") as (process, _):
        os.kill(process.pid, signal.SIGKILL)
        process.obituary()
    with lab.engine("af_packet:t1") as (process, _):
        assert "which a tester that was killed had changed" in process.log.read_text()
        assert "xdp" not in lab.link()
    assert lab.offloads() == before
    assert "PROMISC" not in lab.link()["flags"]  # type: ignore[operator]


def test_of_several_channels_none_is_forgotten() -> None:
    lab = Lab(queues=4)
    refused = pytest.raises(
        TestbedError, match=r"t1 receives on 4 channels \(ethtool -L t1 rx 1 leaves one\)"
    )
    with refused, lab.engine("af_xdp:t1"):
        pass
    with lab.engine("iface:t1") as (_, target):
        assert info(target).driver == "net_af_packet"
        assert "t1 receives on 4 channels" in info(target).driver_reason
        assert info(target).reorders == (
            "t1 receives on 4 channels (ethtool -L t1 rx 1 leaves one); "
            "flows may overtake each other between them"
        )
        lab.send(flows(2000))
        counted = until(target, lambda port: port.rx_packets >= 2000)
    assert (counted.rx_packets, counted.rx_missed, counted.rx_unseen) == (2000, 0, 0)
    lab.run("ethtool -L d1 tx 1")
    lab.run("ethtool -L t1 rx 1")
    with lab.engine("iface:t1") as (_, target):
        assert (info(target).driver, info(target).reorders) == ("net_af_xdp", "")


def test_frames_that_only_the_interface_has_seen_are_an_objection() -> None:
    """Somebody gives the interface more channels while the engine has it."""
    lab = Lab(queues=4)
    lab.run("ethtool -L d1 tx 1")
    lab.run("ethtool -L t1 rx 1")
    with lab.engine("af_xdp:t1") as (_, target):
        lab.send(flows(200))
        before = until(target, lambda port: port.rx_packets >= 200)
        assert (before.rx_packets, before.rx_unseen) == (200, 0)
        lab.run("ethtool -L t1 rx 4")
        lab.run("ethtool -L d1 tx 4")
        lab.send(flows(2000))
        after = until(target, lambda port: port.rx_packets + (port.rx_unseen or 0) >= 2200)
        assert after.rx_packets + (after.rx_missed or 0) + (after.rx_unseen or 0) == 2200
        seen = PortEvidence.between(before, after)
        assert seen.rx_unseen
        assert list(seen.objections(0)) == [
            f"the interface of port p1 received {seen.rx_unseen:,} frames "
            "that the tester did not see (limit 0)"
        ]


@pytest.mark.parametrize("spec", ["af_packet:t1", "af_xdp:t1"])
def test_a_frame_without_room_is_counted_once(lab: Lab, spec: str) -> None:
    """A veth counts what its XDP sockets turned away as dropped by the interface, too."""
    sent = 20_000
    with lab.engine(spec) as (process, target):
        os.kill(process.pid, signal.SIGSTOP)
        try:
            lab.send(flows(1000) * (sent // 1000), pace=sent)
        finally:
            os.kill(process.pid, signal.SIGCONT)
        counted = until(target, lambda port: port.rx_packets + (port.rx_missed or 0) >= sent)
        assert counted.rx_missed
        assert counted.rx_packets + counted.rx_missed == sent
        assert (counted.kernel_dropped, counted.rx_unseen) == (0, 0)


@pytest.mark.parametrize("spec", ["af_packet:t1", "af_xdp:t1"])
def test_a_pause_frame_is_seen(lab: Lab, spec: str) -> None:
    with lab.engine(spec) as (_, target):
        before = target.snapshot().port("p1")
        assert (before.rx_pause, before.obeys_pause) == (0, False)
        lab.send([PAUSE] * 3 + flows(2))
        after = until(target, lambda port: port.rx_packets >= 5)
    found = PortEvidence.between(before, after)
    assert (found.rx_pause, found.rx_errors, found.tx_errors, found.rx_unseen) == (3, 0, 0, 0)
    assert list(found.objections(0)) == []
    assert list(found.remarks()) == ["3 PAUSE frames arrived at port p1, which does not obey them"]


@pytest.mark.parametrize("mtu", [1800, 2000, 9000])
def test_frames_as_long_as_the_mtu_allows_are_exact(lab: Lab, mtu: int) -> None:
    for end in ("t1", "d1"):
        lab.run(f"ip link set {end} mtu {mtu}")
    with lab.engine("af_packet:t1", "af_packet:d1") as (_, target):
        rig = Rig(target)
        assert info(target).max_frame_size == mtu + 18
        rig.load(rig.plan("north", frame_size=mtu + 18, rate="1 kpps"))
        (counted,) = rig.run(["north"], packets=300).streams
    assert (counted.tx_packets, counted.rx_packets, counted.rx_bytes) == (300, 300, 300 * (mtu + 18))
    assert (counted.rx_wrong_length, counted.rx_corrupted) == (0, 0)


def test_af_xdp_is_refused_where_a_frame_does_not_fit_into_its_buffers(lab: Lab) -> None:
    for end in ("t1", "d1"):
        lab.run(f"ip link set {end} mtu 9000")
    said = "AF_XDP on t1: its MTU 9000 is more than the 3498 bytes for which AF_XDP has buffers"
    with pytest.raises(TestbedError, match=said), lab.engine("af_xdp:t1"):
        pass
    with lab.engine("iface:t1") as (_, target):
        assert (info(target).driver, info(target).max_frame_size) == ("net_af_packet", 9018)
        assert said in info(target).driver_reason
    for end in ("t1", "d1"):
        lab.run(f"ip link set {end} mtu 3498")
    with lab.engine("iface:t1") as (_, target):
        assert (info(target).driver, info(target).max_frame_size) == ("net_af_xdp", 3516)


@pytest.mark.parametrize("driver", ["af_packet", "af_xdp"])
def test_frames_that_wait_for_the_link_are_held(lab: Lab, driver: str) -> None:
    with lab.engine(f"{driver}:t1", "af_packet:d1") as (_, target):
        rig = Rig(target)
        rig.load(rig.plan("north"))
        assert rig.run(["north"], packets=100).streams[0].rx_packets == 100
        assert target.snapshot().port("p1").tx_held == 0
        lab.run("ip link set t1 down")
        (counted,) = rig.run(["north"], packets=100).streams
        assert (counted.tx_packets, counted.rx_packets) == (100, 0)
        assert target.snapshot().port("p1").tx_held == 100
        lab.run("ip link set t1 up")
        assert until(target, lambda port: port.tx_held == 0).tx_held == 0
        assert rig.settled(["north"]).streams[0].rx_packets == 100


def test_frames_that_an_interface_is_too_slow_for_are_held(lab: Lab) -> None:
    lab.run("ip link add m1 link t1 type macvlan mode passthru")
    lab.run("ip link set m1 up")
    lab.run("tc qdisc add dev t1 root tbf rate 20mbit burst 4kb latency 10s")
    with lab.engine("af_packet:m1", "af_packet:d1") as (_, target):
        assert target.snapshot().port("p1").tx_held == 0
        rig = Rig(target)
        rig.load(rig.plan("north", frame_size=500, rate="50 kpps"))
        target.start(["north"], packets=1000)
        target.wait(["north"], timeout=PATIENCE)
        first = target.snapshot()
        assert first.streams[0].tx_packets == 1000
        assert 1000 >= (first.port("p1").tx_held or 0) > 500
        last = until(target, lambda port: port.tx_held == 0)
        assert last.tx_held == 0
        assert rig.settled(["north"]).streams[0].rx_packets == 1000


# Before it is the engine, the process has a fanout group of the number that DPDK makes for the first port.
_GROUPED = """
import os, socket, sys
held = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
held.bind(("d1", 0x0003))
held.setsockopt(263, 18, (os.getpid() ^ socket.if_nametoindex("t1")) & 0xFFFF)
held.set_inheritable(True)
os.execvp(sys.argv[1], sys.argv[1:])
"""


@pytest.mark.skipif(not is_privileged(), reason="AF_PACKET in a namespace of its own needs root")
def test_a_fanout_group_of_another_tester_does_not_matter() -> None:
    """DPDK makes the number of a group of process and interface, so two testers may have one number."""
    lab = Lab()
    with lab.engine("af_packet:t1", prefix=[sys.executable, "-c", _GROUPED]) as (_, target):
        (port,) = target.capabilities().ports
        assert port.driver == "net_af_packet"
