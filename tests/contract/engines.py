# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Two engines with a cable between them, joined."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from TesterLibrary.targets.engine.client import EngineTarget
from TesterLibrary.targets.engine.process import EngineProcess
from TesterLibrary.targets.joined import JoinedTarget

from .linked import wait_for_link, with_cable
from .rig import in_place


@dataclass(frozen=True)
class TwoEngines:
    """The engines of p1 and p2 by their names, and the target that they are together."""

    processes: dict[str, EngineProcess]
    members: dict[str, EngineTarget]
    target: JoinedTarget


@contextmanager
def two_engines() -> Iterator[TwoEngines]:
    """`left` has p1 and `right` has p2, with a CPU each if there are two. They end with the block."""
    namespace = with_cable("p1", "p2")
    cpus = sorted(os.sched_getaffinity(0))[-2:]
    processes: dict[str, EngineProcess] = {}
    try:
        with namespace.entered():
            wait_for_link("p1")
            names = dict(zip(in_place({"p1": "", "p2": ""}), ("left", "right"), strict=True))
            for number, (port, name) in enumerate(names.items()):
                cpu = cpus[-1 - number % len(cpus)]
                # As testbeds do: on the first CPU a worker gives way to control threads.
                alone = ("taskset", "--cpu-list", str(cpu)) if cpu == min(os.sched_getaffinity(0)) else ()
                processes[name] = EngineProcess.launch(
                    ports={port: f"iface:{port}"}, cpus=[cpu], command_prefix=alone
                )
        members = {name: process.target() for name, process in processes.items()}
        yield TwoEngines(processes, members, JoinedTarget(members))
    finally:
        for process in processes.values():
            process.stop()
        os.close(namespace.handle)
