# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A loaded job of a switch that has paths."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ....errors import PlanError
from ....model.plan.plan import Plan
from ....planning.switch.chip import pipe_of
from ....planning.switch.inline import PATHS, check_beside, check_ports, switch_path
from ..session.session import SwitchSession
from .path_entries import LoadedPath
from .path_readings import PathSeen


@dataclass
class PathRun:
    """A loaded job, its paths and its stamps."""

    job: str
    paths: tuple[LoadedPath, ...]
    begin: tuple[PathSeen, ...] | None = None  # its last start
    end: tuple[PathSeen, ...] | None = None  # while it is stopped

    @property
    def forwarding(self) -> bool:
        """Whether its paths forward now."""
        return self.begin is not None and self.end is None

    @property
    def ports(self) -> tuple[str, ...]:
        """Names of the ports of its paths."""
        planned = [path.path.planned for path in self.paths]
        return tuple(port for path in planned for port in (path.first_port, path.second_port))

    def path(self, name: str) -> LoadedPath:
        """The path of a name. PlanError if the job has none."""
        for path in self.paths:
            if path.path.planned.name == name:
                return path
        raise PlanError(f"job {self.job!r} has no path {name!r}")

    def replace(self, path: LoadedPath, changed: LoadedPath, session: SwitchSession) -> None:
        """Has a path go on as changed; every frame is still forwarded."""
        self.paths = tuple(changed if loaded == path else loaded for loaded in self.paths)
        if self.forwarding:
            session.write(changed.forwarding)


def planned_run(plan: Plan, loaded: Iterable[PathRun], session: SwitchSession) -> PathRun:
    """The job of a plan, beside those loaded. PlanError for paths that the switch cannot have."""
    loaded_paths = [path for run in loaded for path in run.paths]
    paths: list[LoadedPath] = []
    for planned in plan.paths:
        ports = session.numbers[planned.first_port], session.numbers[planned.second_port]
        path = LoadedPath(switch_path(planned), ports)
        check_ports(path.path, [pipe_of(number) for number in path.ports])
        check_beside(path.path, [loaded_path.path for loaded_path in (*loaded_paths, *paths)])
        paths.append(path)
    if len(loaded_paths) + len(paths) > PATHS:
        raise PlanError(f"job {plan.job!r}: a switch has {PATHS} paths at most; unload another job first")
    return PathRun(plan.job, tuple(paths))
