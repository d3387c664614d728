# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The real engine as a process: it starts, dies and goes without leaving anything."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from TesterLibrary.errors import TargetError, TestbedError
from TesterLibrary.model.units.units import Duration
from TesterLibrary.targets.engine.client import EngineTarget
from TesterLibrary.targets.engine.process import EngineProcess

from .rig import PATIENCE, Rig
from .started import started

PORTS = {"p1": "loop:x", "p2": "loop:x"}

pytestmark = pytest.mark.usefixtures("engine")  # skips, or fails, where there is none


@pytest.fixture
def process() -> Iterator[EngineProcess]:
    process = EngineProcess.launch(ports=PORTS)
    yield process
    process.stop()


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def wait_until_gone(pid: int) -> None:
    deadline = time.monotonic() + 60
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not is_running(pid)


def test_closing_the_target_ends_the_engine(process: EngineProcess) -> None:
    target = process.target()
    runtime = Path(process.address.removeprefix("unix:")).parent
    assert (runtime.stat().st_mode & 0o777) == 0o700
    assert process.log.exists()
    target.close()
    target.close()
    assert not is_running(process.pid)
    assert not runtime.exists()
    with pytest.raises(TargetError):
        EngineTarget.connect(process.address)


def test_counters_survive_a_client_that_is_lost(process: EngineProcess) -> None:
    """It watches, flips and is gone without a word; the next one reads on."""
    rig = Rig(process.target())
    rig.load(rig.plan("north"))
    script = (
        "import sys; from TesterLibrary.targets.engine.client import EngineTarget as E\n"
        "t = E.connect(sys.argv[1]); t.start(['north']); t.flip(['north']); print('sending', flush=True)\n"
        "from TesterLibrary.model.units.units import Duration; t.wait(['north'], timeout=Duration(10**11))"
    )
    with subprocess.Popen([sys.executable, "-c", script, process.address], stdout=subprocess.PIPE) as client:
        assert client.stdout
        assert client.stdout.readline() == b"sending\n"
        time.sleep(0.1)
        client.kill()
    (before,) = rig.target.snapshot(["north"]).streams
    time.sleep(0.05)
    assert rig.target.flip(["north"]).closed_version == 1
    rig.target.stop(["north"])
    (after,) = rig.settled(["north"]).streams
    assert before.sending
    assert 500 < before.tx_packets < after.tx_packets == after.rx_packets
    assert [v.rx_packets for v in after.versions] == [v.tx_packets for v in after.versions]


FLIPS = 5  # before it ends


def test_flips_during_its_shutdown_are_answered_or_refused(process: EngineProcess) -> None:
    guest = EngineTarget.connect(process.address)
    rig = Rig(guest)
    rig.load(rig.plan("north", rate="100 kpps"))
    guest.start(["north"])
    closed: list[int] = []

    def flip() -> None:
        with suppress(TargetError):
            while True:
                closed.append(guest.flip(["north"]).closed_version)

    flipping = threading.Thread(target=flip)
    flipping.start()
    while len(closed) <= FLIPS and flipping.is_alive():
        time.sleep(0.001)
    process.target().close()
    flipping.join(timeout=60)
    assert not flipping.is_alive()
    assert not is_running(process.pid)
    assert closed == [number % 2 for number in range(len(closed))]
    assert len(closed) > FLIPS


def test_another_client_leaves_it_running(process: EngineProcess) -> None:
    guest = EngineTarget.connect(process.address)
    Rig(guest).load(Rig(guest).plan("north"))
    guest.close()
    assert is_running(process.pid)
    assert process.target().snapshot().streams == ()


def test_dying_in_a_trial_is_told_with_status_and_log(process: EngineProcess) -> None:
    rig = Rig(process.target())
    rig.load(rig.plan("north"))
    rig.target.start(["north"])
    threading.Timer(0.3, os.kill, (process.pid, signal.SIGKILL)).start()
    with pytest.raises(TargetError, match=r"Wait: testerd was killed by SIGKILL; its last words: .*ready"):
        rig.target.wait(["north"], timeout=PATIENCE)
    with pytest.raises(TargetError, match="TakeSnapshot: testerd was killed by SIGKILL"):
        rig.target.snapshot()
    rig.target.close()
    assert not process.log.exists()


def test_one_that_hangs_is_killed(process: EngineProcess) -> None:
    os.kill(process.pid, signal.SIGSTOP)
    process.stop()
    assert not is_running(process.pid)


def test_it_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    """Killed without a chance to clear up."""
    script = (
        "import os, signal\n"
        "from TesterLibrary.targets.engine.process import EngineProcess\n"
        f"engine = EngineProcess.launch(ports={PORTS!r})\n"
        "print(engine.pid, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    ended = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        env=environment,
        timeout=60,
        check=False,
    )
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    wait_until_gone(int(ended.stdout))


def test_it_ends_with_a_script_that_forgets_it(tmp_path: Path) -> None:
    script = (
        "from TesterLibrary.targets.engine.process import EngineProcess\n"
        f"print(EngineProcess.launch(ports={PORTS!r}).pid)\n"
    )
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    ended = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        env=environment,
        timeout=60,
        check=True,
    )
    assert not is_running(int(ended.stdout))
    assert list(tmp_path.iterdir()) == []


def test_what_it_cannot_open_is_named() -> None:
    with pytest.raises(TestbedError, match=r"testerd did not start: .*no-such0"):
        EngineProcess.launch(ports={"p1": "iface:no-such0"})


def test_starting_is_quick() -> None:
    began = time.monotonic()
    EngineProcess.launch(ports=PORTS, ready_within=Duration(10 * 10**9)).stop()
    assert time.monotonic() - began < 10


def test_a_killed_engine_leaves_no_folder_of_dpdk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path))
    process = EngineProcess.launch(ports=PORTS)
    os.kill(process.pid, signal.SIGKILL)
    process.stop()
    assert (tmp_path / "dpdk").is_dir()
    assert list((tmp_path / "dpdk").iterdir()) == []


def test_no_snapshot_has_more_received_than_sent(tmp_path: Path) -> None:
    """One worker sends while another one counts what has arrived."""
    cpus = sorted(os.sched_getaffinity(0))[:2]
    if len(cpus) < 2:
        pytest.skip("two workers need two CPUs")
    address = f"unix:{tmp_path}/socket"
    with (
        started(tmp_path / "log", address, "--cpu", ",".join(map(str, cpus))),
        closing(EngineTarget.connect(address)) as target,
    ):
        rig = Rig(target)
        rig.load(rig.plan("north", rate="1 Mpps"))
        target.start(["north"])
        for _ in range(20):
            snapshot = target.snapshot(["north"])
            (stream,) = snapshot.streams
            pairs = [(stream.rx_packets, stream.tx_packets)]
            pairs += [(v.rx_packets, v.tx_packets) for v in stream.versions]
            pairs += [
                (there.rx_packets, here.tx_packets)
                for here, there in zip(
                    snapshot.port("p1").versions, snapshot.port("p2").versions, strict=True
                )
            ]
            assert all(received <= sent for received, sent in pairs)
        target.stop(["north"])
