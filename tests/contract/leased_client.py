# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A client in a process of its own, which has the lease of a tester, captures and sends; it can be killed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
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
import sys
from TesterLibrary.errors import TesterLibraryError
from TesterLibrary.model.capture import Capture
from TesterLibrary.model.units import Duration
from TesterLibrary.targets.base import LeaseTerms
from TesterLibrary.targets.engine.client import EngineTarget
from tests.contract.rig import Rig
target = EngineTarget.connect(sys.argv[1])
target.lease(LeaseTerms(sys.argv[2], Duration(int(sys.argv[3]) * 10**9)))
rig = Rig(target)
rig.load(rig.plan("hers", first_id=7))
target.start_capture(Capture("hers", ports=("p1",)))
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
    address: str, owner: str, ttl_s: int, environment: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[str]]:
    """A client that sends the job "hers". A lease that its environment gives is used instead of its own."""
    command = [sys.executable, "-c", _CLIENT, address, owner, str(ttl_s)]
    more = {**os.environ, "PYTHONPATH": str(ROOT), **(environment or {})}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=more) as process:
        assert process.stdout
        assert process.stdout.readline() == "sending\n"
        yield process
        process.kill()


def said(process: subprocess.Popen[str]) -> str:
    """The state of its stream, as the client reports it."""
    assert process.stdin
    assert process.stdout
    process.stdin.write("\n")
    process.stdin.flush()
    return process.stdout.readline()
