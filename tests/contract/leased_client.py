# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A client in a process of its own, which has the lease of a tester, captures and sends; it can be killed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
TESTBED = """
version: 1
name: lab
tester: {{address: "{address}"}}
ports:
  - {{name: p1, interface: "vdev:net_null0", speed: 1 Gbps}}
  - {{name: p2, interface: "vdev:net_null1", speed: 1 Gbps}}
dut: {{name: cable, kind: physical, layer: 2}}
"""
_CLIENT = """
import os
import sys
from TesterLibrary.errors import TesterLibraryError
from TesterLibrary.model.capture import Capture
from TesterLibrary.model.units.units import Duration
from TesterLibrary.targets.parts import LeaseTerms
from TesterLibrary.targets.engine.client import EngineTarget
from tests.contract.rig import Rig
print("imported", flush=True)
if lease := sys.stdin.readline().strip():
    os.environ["TESTER_LEASE"] = lease
target = EngineTarget.connect(sys.argv[1])
target.leases.acquire(LeaseTerms(sys.argv[2], Duration(int(sys.argv[3]) * 10**9)))
rig = Rig(target)
rig.load(rig.plan("hers", first_id=7))
target.captures.start(Capture("hers", ports=("p1",)))
target.start(["hers"])
print("sending", flush=True)
for _ in sys.stdin:
    try:
        print(target.snapshot(["hers"]).streams[0].tx_packets, flush=True)
    except TesterLibraryError as error:
        print(type(error).__name__, error, flush=True)
"""


@contextmanager
def sending(
    address: str, owner: str, ttl_s: int, acquire: Callable[[], str] = lambda: ""
) -> Iterator[subprocess.Popen[str]]:
    """A client that sends the job "hers".

    Args:
        acquire: Acquires the lease that the client uses; empty: it acquires its own. It is called when the
            client is ready to use it: the imports take longer on a busy machine than a short lease lasts.
    """
    command = [sys.executable, "-c", _CLIENT, address, owner, str(ttl_s)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment) as process:
        assert process.stdout
        assert process.stdout.readline() == "imported\n"
        assert _said(process, acquire()) == "sending\n"
        yield process
        process.kill()


def said(process: subprocess.Popen[str]) -> str:
    """The state of its stream, as the client reports it."""
    return _said(process, "")


def _said(process: subprocess.Popen[str], line: str) -> str:
    """The answer of a client to a line."""
    assert process.stdin
    assert process.stdout
    process.stdin.write(f"{line}\n")
    process.stdin.flush()
    return process.stdout.readline()
