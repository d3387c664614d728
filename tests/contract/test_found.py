# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A tester that runs on its own still has the jobs of clients that have died: who opens it is told."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from TesterLibrary import TesterLibrary
from TesterLibrary.errors import LeaseError
from TesterLibrary.model.capture import Capture
from TesterLibrary.model.units.units import Duration
from TesterLibrary.targets.engine import owner
from TesterLibrary.targets.engine.client import EngineTarget
from TesterLibrary.targets.engine.process import EngineProcess

from .leased_client import sending
from .rig import Rig

NO_LEASE = Duration(0)

pytestmark = pytest.mark.usefixtures("engine")
_LEFT = """
import sys
from TesterLibrary.targets.engine.client import EngineTarget
from tests.contract.rig import Rig
rig = Rig(EngineTarget.connect(sys.argv[1]))
rig.load(rig.plan("left", first_id=7))
rig.target.start(["left"])
print("sending", flush=True)
sys.stdin.read()
"""
_TESTBED = """
version: 1
name: own
tester: {{address: "{address}"}}
ports:
  - {{name: p1, interface: "vdev:net_null0", speed: 1 Gbps}}
  - {{name: p2, interface: "vdev:net_null1", speed: 1 Gbps}}
dut: {{name: cable, kind: physical, layer: 2}}
"""


@pytest.fixture
def process() -> Iterator[EngineProcess]:
    process = EngineProcess.launch(ports={"p1": "loop:x", "p2": "loop:x"})
    yield process
    process.stop()


@pytest.fixture
def library(
    process: EngineProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[TesterLibrary]:
    testbed = tmp_path / "remote.yaml"
    testbed.write_text(_TESTBED.format(address=process.address), encoding="utf-8")
    root = Path.cwd()
    monkeypatch.setenv("PYTHONPATH", str(root))
    monkeypatch.chdir(tmp_path)
    library = TesterLibrary(testbed=str(testbed))
    yield library
    library.close_tester()


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    """But the one about virtual links, which all of these ports are."""
    texts = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    return [text for text in texts if not text.startswith("line rate is what the testbed says")]


def left_by_a_client(process: EngineProcess) -> int:
    """A job that sends for ever, and whose client was killed. Returns the client's process number."""
    command = [sys.executable, "-c", _LEFT, process.address]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as client:
        assert client.stdout
        assert client.stdout.readline() == b"sending\n"
        client.kill()
    return client.pid


def test_jobs_of_a_client_that_died_are_removed_and_named(
    process: EngineProcess, library: TesterLibrary, caplog: pytest.LogCaptureFixture
) -> None:
    pid = left_by_a_client(process)
    target = process.target()
    assert target.snapshot(["left"]).streams[0].sending
    library.open_tester(lease=NO_LEASE)
    (told,) = warnings(caplog)
    assert told.startswith("the tester still had job 'left' on ports p1, p2 of TesterLibrary (")
    assert told.endswith(f", process {pid}), which has ended; it was stopped and removed")
    assert target.snapshot().jobs == ()
    caplog.clear()
    library.close_tester()
    library.open_tester()
    assert warnings(caplog) == []


def test_jobs_of_a_client_that_lives_are_named_and_left(
    process: EngineProcess, library: TesterLibrary, caplog: pytest.LogCaptureFixture
) -> None:
    target: EngineTarget = process.target()
    rig = Rig(target)
    rig.load(rig.plan("mine"))
    rig.load(rig.plan("idle", first_id=2))
    target.start(["mine"])
    target.captures.start(Capture("tap", ports=("p1",)))
    library.open_tester(lease=NO_LEASE)
    left = "; it was left as it is"
    assert [text.partition(left)[0] for text in warnings(caplog)] == [
        "the tester still had job 'idle' of a client that has not started it",
        "the tester still had job 'mine' on ports p1, p2 of this process",
        "the tester still had capture 'tap' of another client",
    ]
    assert {job.name for job in target.snapshot().jobs} == {"idle", "mine"}
    assert target.snapshot(["mine"]).streams[0].sending


def test_a_lease_that_a_killed_process_of_the_same_user_left_ends_at_once(
    process: EngineProcess, library: TesterLibrary, caplog: pytest.LogCaptureFixture
) -> None:
    with sending(process.address, owner.OWNER, 60) as client:
        client.kill()
        client.wait()
    library.open_tester()
    (warning,) = warnings(caplog)
    assert warning.endswith("which has ended; that lease was ended")
    with closing(EngineTarget.connect(process.address)) as direct:
        holder = direct.leases.holder()
    assert holder is not None
    assert holder.client == owner.client()


@pytest.mark.parametrize("dies", [True, False])
def test_the_lease_of_another_user_or_of_a_process_that_lives_is_left(
    process: EngineProcess, library: TesterLibrary, dies: bool
) -> None:
    with sending(process.address, "alice" if dies else owner.OWNER, 60) as client:
        if dies:
            client.kill()
            client.wait()
        with pytest.raises(LeaseError, match="the tester is leased to"):
            library.open_tester()
