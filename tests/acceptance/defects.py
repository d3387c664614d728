# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A device that mistreats frames as it is told, in place of the bridge, and attempts of so many frames."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from TesterLibrary.measurement.trial import Trial
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Duration
from TesterLibrary.running.opening import OpenTestbed
from TesterLibrary.running.tester import Tester
from TesterLibrary.running.trial import StreamRun
from TesterLibrary.testbeds import RunningTestbed

_FORWARDER = Path(__file__).with_name("forwarder.py")


class AtBridge(Protocol):
    """Whatever has a testbed with the bridge."""

    testbed: RunningTestbed


@contextmanager
def device_that(bed: AtBridge, **wish: object) -> Iterator[None]:
    """The forwarder does as it is told (see there) in place of the bridge."""
    prefix = bed.testbed.dut_prefix
    subprocess.run([*prefix, "ip", "link", "delete", "br0"], check=True)
    command = [*prefix, sys.executable, str(_FORWARDER), json.dumps(wish)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield
    finally:
        process.kill()
        process.communicate()


def sent(bed: OpenTestbed, stream: Stream, packets: int) -> Trial:
    """One attempt of exactly so many frames."""
    return attempt(bed.tester, stream, packets)


def attempt(
    tester: Tester, stream: Stream, packets: int, meanwhile: Callable[[], object] = lambda: None
) -> Trial:
    """The same on a bench. `meanwhile` does something once the first frames have left.

    It is recorded: a test that fails where the tester objects to its own part is run again.
    """
    with StreamRun(tester, "run", [stream]).loaded() as run:
        run.start(packets=packets)
        meanwhile()
        tester.target.wait([run.name], timeout=Duration(60 * 10**9))
        return tester.evidence.record(run.finish())
