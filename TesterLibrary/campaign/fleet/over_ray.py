# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Tasks on the machines of a Ray cluster: each holds the resource `tester:NAME` of its tester.

A worker sends the records of its task home as they are made, so a verdict is kept though its machine dies.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ...errors import TesterLibraryError
from ...reporting.record.durable import make_directory
from ...reporting.record.record_place import EVIDENCE
from .task import Task, end, fault_of, prepare, start, unlike
from .workers import Ended

_LOOK_S = 0.2  # between two looks at the records of a task
_MOST_BYTES = 4 << 20  # of a part of a file
_CLUSTER_S = 2.0  # between two looks at the machines of the cluster
_RUN_CHANGED = ""  # among what was sent: when run.json has changed
_STOP_S = 30.0  # for tasks to end

# A part of a file: its path, the first byte, the bytes. Or how the task has ended.
_Sent = tuple[str, int, bytes] | str


def resource_of(tester: str) -> str:
    """The resource of Ray that a task on a tester holds."""
    return f"tester:{tester}"


class RayWorkers:
    """Tasks of a Ray cluster."""

    def __init__(self, testers: Collection[str], address: str | None) -> None:
        """Joins a cluster; without an address it is one of this machine, which ends with this process.

        Raises:
            TesterLibraryError: Ray is not installed, the cluster is not reached, or no machine has a tester.
        """
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # whom a laboratory tests is nobody's business
        try:
            import ray
        except ImportError:
            raise TesterLibraryError(
                "tester campaign runs tasks on Ray, which is not installed: pip install "
                "'robotframework-testerlibrary[fleet]'; tester run runs the same file here, without it"
            ) from None
        self._ray: Any = ray
        self._tasks: dict[str, tuple[Any, Task]] = {}  # their streams, by cell
        self._here: frozenset[str] = frozenset()
        self._testers, self._looked_at = tuple(testers), float("-inf")
        resources: dict[str, Any] = (
            {}
            if address
            else {
                "resources": {resource_of(tester): 1 for tester in testers},
                "num_cpus": max(len(testers), os.cpu_count() or 1),
                "include_dashboard": False,
            }
        )
        try:
            ray.init(address=address or "local", log_to_driver=False, logging_level="ERROR", **resources)
        except (ConnectionError, RuntimeError, ValueError) as problem:
            raise TesterLibraryError(
                f"the Ray cluster {address or 'of this machine'} is not reached: {problem}. If it asks for a "
                "token, give RAY_AUTH_MODE=token and RAY_AUTH_TOKEN here, too"
            ) from None
        self._run = ray.remote(num_cpus=0, max_retries=0)(_work)
        missing = [tester for tester in testers if tester not in self.here()]
        if missing:
            ray.shutdown()
            wanted = ", ".join(f'"{resource_of(tester)}": 1' for tester in missing)
            raise TesterLibraryError(
                f"no machine of the Ray cluster has the testers {', '.join(missing)}; start Ray where they "
                f"are reached: ray start --address={address} --resources='{{{wanted}}}'"
            )

    def here(self) -> Collection[str]:
        """The testers whose machine is in the cluster."""
        if time.monotonic() - self._looked_at > _CLUSTER_S:
            self._looked_at = time.monotonic()
            resources = self._ray.cluster_resources()
            self._here = frozenset(t for t in self._testers if resources.get(resource_of(t), 0) >= 1)
        return self._here

    def start(self, tasks: Sequence[Task]) -> None:
        """Runs tasks, each on the machine of its tester."""
        for task in tasks:
            options = self._run.options(
                resources={resource_of(task.tester): 1}, name=f"{task.cell} on {task.tester}"
            )
            self._tasks[task.cell] = (options.remote(task), task)

    def wait(self, timeout_s: float) -> list[Ended]:
        """The tasks that have ended; what the others have sent meanwhile is written."""
        if not self._tasks:
            time.sleep(timeout_s)
            return []
        cells = {stream: cell for cell, (stream, _) in self._tasks.items()}
        ready, _ = self._ray.wait(list(cells), num_returns=len(cells), timeout=0)
        if not ready:
            ready, _ = self._ray.wait(list(cells), num_returns=1, timeout=timeout_s)
        ended = (self._received(cells[stream]) for stream in ready)
        return [each for each in ended if each]

    def _received(self, cell: str) -> Ended | None:
        """Takes what a task has sent; its end, if that has come."""
        stream, task = self._tasks[cell]
        try:
            sent: _Sent = self._ray.get(next(stream))
        except StopIteration:
            return self._over(cell, "its worker ended without a word")
        except self._ray.exceptions.TaskCancelledError:
            return self._over(cell, "it was stopped")
        except self._ray.exceptions.RayTaskError as problem:
            return self._over(cell, f"its worker failed: {problem.cause or problem}")
        except self._ray.exceptions.RayError as problem:
            return self._over(cell, f"its worker died: {' '.join(str(problem).split())[:200]}")
        if isinstance(sent, str):
            return self._over(cell, sent)
        name, offset, content = sent
        path = task.folder / name
        make_directory(path.parent)
        with path.open("r+b" if path.exists() else "wb") as file:
            file.truncate(offset)
            file.seek(offset)
            file.write(content)
        return None

    def _over(self, cell: str, fault: str) -> Ended:
        del self._tasks[cell]
        return Ended(cell, fault)

    def stop(self, cell: str) -> None:
        """Asks a task to end."""
        if cell in self._tasks:
            with suppress(self._ray.exceptions.RayError):
                self._ray.cancel(self._tasks[cell][0])

    def kill(self, cell: str) -> None:
        """Kills a task; Robot ends with it."""
        if cell in self._tasks:
            with suppress(self._ray.exceptions.RayError):
                self._ray.cancel(self._tasks[cell][0], force=True)

    def end(self) -> None:
        """Ends all tasks."""
        for cell in self._tasks:
            self.stop(cell)
        until = time.monotonic() + _STOP_S
        while self._tasks and time.monotonic() < until:
            self.wait(1.0)

    def close(self) -> None:
        """Ends all tasks, and leaves the cluster."""
        self.end()
        self._ray.shutdown()


def _work(task: Task) -> Iterator[_Sent]:
    """Runs a task on a machine of the cluster; yields what it writes, and at last what has cut it off."""
    if problem := unlike(task):
        yield f"the machine of {task.tester} cannot run it: {problem}"
        return
    folder = Path(tempfile.mkdtemp(prefix="tester-campaign-"))
    try:
        prepare(task, folder)
        process = start(task, folder)
        sent: dict[str, int] = {}
        try:
            while process.poll() is None:
                yield from _grown(folder, sent)
                with suppress(Exception):
                    process.wait(_LOOK_S)
            yield from _grown(folder, sent)
            yield from _whole(folder, sent)
        finally:
            end(process)
        yield fault_of(task, process)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _grown(folder: Path, sent: dict[str, int]) -> Iterator[_Sent]:
    """The records that were added since the last look, and who measures if that has changed."""
    run = folder / EVIDENCE / "run.json"
    changed = run.stat().st_mtime_ns
    if sent.get(_RUN_CHANGED) != changed:
        sent[_RUN_CHANGED] = changed
        yield from _parts(run, run.relative_to(folder).as_posix(), {})
    for path in (folder / EVIDENCE).glob("*.jsonl"):
        yield from _parts(path, path.relative_to(folder).as_posix(), sent)


def _whole(folder: Path, sent: Mapping[str, int]) -> Iterator[_Sent]:
    """The files that were not sent as they grew."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name not in sent:
            yield from _parts(path, name, {})


def _parts(path: Path, name: str, sent: dict[str, int]) -> Iterator[_Sent]:
    with path.open("rb") as file:
        file.seek(sent.get(name, 0))
        while (content := file.read(_MOST_BYTES)) or name not in sent:
            offset = sent.get(name, 0)
            sent[name] = offset + len(content)
            yield name, offset, content
