# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The engine stops and ends in good order while it sends, and whatever the files that it reads do."""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from fractions import Fraction
from io import BytesIO
from pathlib import Path

import grpc
import pytest
from scapy.layers.l2 import Ether
from scapy.utils import PcapWriter

from TesterLibrary._generated.tester.v1 import control_pb2, control_pb2_grpc
from TesterLibrary.errors import TargetError
from TesterLibrary.model.plan.plan import Plan
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.targets.engine.leftovers import restore_interfaces
from TesterLibrary.targets.engine.process import EngineProcess
from TesterLibrary.testbeds.namespace import Namespace
from TesterLibrary.testbeds.privilege import is_privileged

from .hung_file import HungFile
from .rig import Rig
from .test_replay import replaying
from .test_responder import HOLDING, Sessions, clients, server

PORTS = {"p1": "loop:x", "p2": "loop:x"}
FRAMES = 1000
OPEN = 20_000  # connections, which take 0.4 s to end
_AT_ONCE_S = 1.0  # what every call but Load and Wait takes at most
_END_S = 5.0
_SO_TIMESTAMPNS = 35
_SO_RCVBUFFORCE = 33

# Not beside others: threads of gRPC that begin while a test is in a network namespace stay in it.
pytestmark = [pytest.mark.usefixtures("engine"), pytest.mark.alone]


@pytest.fixture
def rig(process: EngineProcess) -> Rig:
    return Rig(process.target())


def capture_file() -> bytes:
    """Frames a millisecond apart."""
    written = BytesIO()
    writer = PcapWriter(written, linktype=1)
    for number in range(FRAMES):
        frame = Ether(dst="02:00:00:00:00:02", src="02:00:00:00:00:01") / bytes(1400)
        frame.time = 1_700_000_000 + number / 1000
        writer.write(frame)
    writer.flush()
    return written.getvalue()


@pytest.fixture
def hung(tmp_path: Path) -> Iterator[HungFile]:
    if not HungFile.possible():
        pytest.skip("needs root and /dev/fuse for a file that hangs")
    folder = tmp_path / "share"
    folder.mkdir()
    file = HungFile(folder, capture_file())
    yield file
    file.close()


def at_once(call: Callable[[], object]) -> None:
    began = time.monotonic()
    call()
    assert time.monotonic() - began < _AT_ONCE_S


def ends(process: EngineProcess) -> None:
    """Checks that the engine ends by SIGTERM, soon and with status 0."""
    began = time.monotonic()
    os.kill(process.pid, signal.SIGTERM)
    while not (obituary := process.obituary()):
        assert time.monotonic() - began < _END_S
    assert obituary.startswith("testerd ended with status 0;")


def when(log: Path, event: str) -> float:
    """Seconds since 1970 at which an event was logged; its line has milliseconds."""
    lines = [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
    (entry,) = [line for line in lines if line["event"] == event]
    return datetime.fromisoformat(entry["time"].replace("Z", "+00:00")).timestamp()


def arrivals(tap: socket.socket) -> list[float]:
    """Times at which frames came out of the cable, in seconds since 1970."""
    found = []
    while True:
        try:
            _, notes, _, _ = tap.recvmsg(64, 64, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return found
        seconds, nanoseconds = struct.unpack("qq", notes[0][2])
        found.append(seconds + nanoseconds / 1e9)


@pytest.mark.skipif(not is_privileged(), reason="needs root for a network namespace")
def test_no_frame_leaves_once_sigterm_was_handled(tmp_path: Path) -> None:
    """The last counts are those of the frames that have left."""
    inside = Namespace.create()
    inside.silence()
    inside.without_ipv6()
    with inside.entered():
        for command in ("link add t1 type veth peer name d1", "link set t1 up", "link set d1 up"):
            assert os.spawnlp(os.P_WAIT, "ip", "ip", *command.split()) == 0
        tap = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        tap.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, 1 << 26)
        tap.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
        tap.bind(("d1", 0))
        process = EngineProcess.launch(ports={"p1": "af_packet:t1", "p2": "loop:x"})
    log = tmp_path / "testerd.log"
    log.hardlink_to(process.log)  # its folder goes with the engine
    try:
        rig = Rig(process.target())
        rig.load(rig.plan("north", rate="20 kpps"))
        with grpc.insecure_channel(process.address) as channel:
            stub = control_pb2_grpc.TesterStub(channel)
            rig.target.start(["north"])
            progress = stub.Wait(control_pb2.WaitRequest(jobs=["north"]))
            time.sleep(0.3)
            ends(process)
            told: list[control_pb2.Progress] = []
            with pytest.raises(grpc.RpcError, match="the tester was told to end by signal 15"):
                told.extend(progress)
        left = arrivals(tap)
        stopping, stopped = when(log, "stopping"), when(log, "traffic stopped")
        assert stopping - 0.5 < left[0] < stopping - 0.2
        assert stopping - 0.01 < left[-1] < stopped + 0.001  # of a line's milliseconds
        assert stopped - stopping < _AT_ONCE_S
        assert not told[-1].sending
        assert len(left) == told[-1].tx_packets
    finally:
        process.stop()
        tap.close()


def shown(name: str) -> dict[str, object]:
    """An interface as the kernel shows it, without what counts and without the way in which frames go."""
    (link,) = json.loads(subprocess.check_output(["ip", "-details", "-json", "link", "show", name]))
    features = subprocess.check_output(["ethtool", "-k", name], text=True)
    return {**link, "features": features}


@pytest.mark.skipif(not is_privileged(), reason="needs root for a network namespace")
@pytest.mark.parametrize("driver", ["af_packet", "af_xdp"])
def test_sigterm_cuts_a_stop_of_clients_short(driver: str) -> None:
    """Connections are ended evenly over half a second. Who waits for it is told that it was cut short."""
    inside = Namespace.create()
    inside.silence()
    inside.without_ipv6()
    with inside.entered():
        for command in ("link add t1 type veth peer name d1", "link set t1 up", "link set d1 up"):
            assert os.spawnlp(os.P_WAIT, "ip", "ip", *command.split()) == 0
        before = [shown(name) for name in ("t1", "d1")]
        process = EngineProcess.launch(ports={"p1": f"{driver}:t1", "p2": f"{driver}:d1"})
    try:
        sessions = Sessions(Rig(process.target()))
        sessions.start(server("tcp-server", flows=OPEN))
        rate = Frequency(Fraction(OPEN // 2))
        sessions.start(clients("tcp-client", HOLDING, connections=OPEN, total=OPEN, rate=rate))
        assert sessions.until("users", lambda s: s.established == OPEN).concurrent == OPEN
        told: list[TargetError] = []

        def stop() -> None:
            try:
                sessions.rig.target.stop(["users"])
            except TargetError as error:
                told.append(error)

        stopping = threading.Thread(target=stop)
        stopping.start()
        while not (ended := sessions.read("users").stopped):
            assert stopping.is_alive()
        ends(process)
        stopping.join(_END_S)
        assert not stopping.is_alive()
        assert 0 < ended < OPEN, "it was in the middle of it"
        (error,) = told
        assert "the tester was told to end by signal 15" in str(error)
        with inside.entered():
            assert [shown(name) for name in ("t1", "d1")] == before
            assert restore_interfaces() == ()
    finally:
        process.stop()


def replay(rig: Rig, path: Path) -> Plan:
    return rig.load(replaying(rig, path))


def test_a_pipe_in_the_place_of_the_file_holds_nobody_up(
    process: EngineProcess, rig: Rig, tmp_path: Path
) -> None:
    path = tmp_path / "capture.pcap"
    path.write_bytes(capture_file())
    replay(rig, path)
    path.unlink()
    os.mkfifo(path)
    at_once(lambda: rig.target.start(["north"]))
    at_once(lambda: rig.target.snapshot(["north"]))
    at_once(lambda: rig.target.stop(["north"]))
    at_once(lambda: rig.target.unload(["north"]))
    ends(process)


@pytest.mark.parametrize("last_call", ["stop", "unload", None])
def test_a_file_that_hangs_while_it_is_sent_holds_nobody_up(
    process: EngineProcess, rig: Rig, hung: HungFile, last_call: str | None
) -> None:
    replay(rig, hung.path)
    hung.good = 100_000
    at_once(lambda: rig.target.start(["north"]))
    at_once(lambda: rig.target.snapshot(["north"]))
    if last_call:
        at_once(lambda: getattr(rig.target, last_call)(["north"]))
    ends(process)


def test_a_file_that_hangs_when_it_is_loaded_holds_nobody_up(
    process: EngineProcess, rig: Rig, hung: HungFile
) -> None:
    hung.good = 100_000
    ended: list[str] = []

    def load() -> None:
        try:
            replay(rig, hung.path)
        except TargetError as error:
            ended.append(error.reason)

    loading = threading.Thread(target=load)
    loading.start()
    time.sleep(0.2)
    other = Rig(process.target())
    at_once(lambda: other.load(other.plan("south", first_id=2, back=True)))
    at_once(lambda: other.target.start(["south"]))
    at_once(lambda: other.target.unload(["south"]))
    assert loading.is_alive()
    ends(process)
    loading.join(_END_S)
    (reason,) = ended
    assert "the tester was told to end by signal 15" in reason
