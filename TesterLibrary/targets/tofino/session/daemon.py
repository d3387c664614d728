# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The configuration of the switch daemon: which part of a program each pipe of the chip runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ....errors import PlanError
from ....planning.switch.chip import INTERNAL_PIPES, chip_of

PIPES = 4  # pipes of the largest chip


@dataclass(frozen=True)
class PipeScopes:
    """The pipes of a chip that run each part of a program: internal are those whose ports loop.

    All others are external.

    Raises:
        PlanError: there are no such pipes, or one of the two kinds has none.
    """

    internal: tuple[int, ...] = INTERNAL_PIPES
    pipes: int = PIPES

    def __post_init__(self) -> None:
        if self.pipes not in range(2, PIPES + 1):
            raise PlanError(f"{self.pipes} pipes: a chip has 2 to {PIPES}")
        if not set(self.internal) <= set(range(self.pipes)) or not 0 < len(set(self.internal)) < self.pipes:
            raise PlanError(
                f"internal pipes {', '.join(map(str, self.internal)) or '(none)'}: allowed are 1 to "
                f"{self.pipes - 1} of the pipes 0 to {self.pipes - 1}"
            )

    @classmethod
    def of(cls, internal: Sequence[int], pipes: int) -> PipeScopes:
        """The scopes with these internal pipes; if none are given, with those of a folded switch."""
        return cls(tuple(internal) or tuple(pipe for pipe in INTERNAL_PIPES if pipe < pipes), pipes)

    def record(self) -> dict[str, list[int]]:
        """The pipes of each part as they are written to JSON."""
        inside = sorted(set(self.internal))
        return {"external": sorted(set(range(self.pipes)) - set(inside)), "internal": inside}


@dataclass(frozen=True)
class WholeChip:
    """The pipes of a chip, all of which run the one pipeline that a program has.

    Raises:
        PlanError: there are no such pipes.
    """

    pipeline: str
    pipes: int = PIPES

    def __post_init__(self) -> None:
        if self.pipes not in range(1, PIPES + 1):
            raise PlanError(f"{self.pipes} pipes: a chip has 1 to {PIPES}")

    def record(self) -> dict[str, list[int]]:
        """The pipes of the pipeline as they are written to JSON."""
        return {self.pipeline: list(range(self.pipes))}


Scopes = PipeScopes | WholeChip


def scopes_of(pipelines: Sequence[str], internal: Sequence[int], pipes: int) -> Scopes:
    """The pipes that run each pipeline of a program.

    Raises:
        PlanError: internal pipes of a program that has no loops, or as `PipeScopes` and `WholeChip`.
    """
    if len(pipelines) != 1:
        return PipeScopes.of(internal, pipes)
    (only,) = pipelines
    if internal:
        given = ", ".join(map(str, internal))
        raise PlanError(
            f"internal pipes {given}: all pipes of this profile run {only}, and no port of theirs loops; "
            "leave --internal out"
        )
    return WholeChip(only, pipes)


def configuration(output: Path, profile: str, chip: str, scopes: Scopes) -> dict[str, Any]:
    """The content of the JSON file for `bf_switchd --conf-file`.

    Args:
        output: The folder that the compiler wrote.
        chip: The compiler's name of it, which it gives to what the chip loads.
        scopes: The pipes of each part.
    """
    folder = output.resolve()
    pipelines = [
        {
            "p4_pipeline_name": name,
            "context": str(folder / name / "context.json"),
            "config": str(folder / name / f"{chip}.bin"),
            "pipe_scope": scope,
        }
        for name, scope in scopes.record().items()
    ]
    program = {
        "program-name": profile,
        "bfrt-config": str(folder / "bf-rt.json"),
        "p4_pipelines": pipelines,
    }
    return {
        "chip_list": [{"id": "asic-0", "instance": 0, "chip_family": chip_of(chip).family}],
        "instance": 0,
        "p4_devices": [{"device-id": 0, "p4_programs": [program]}],
    }


def write_configuration(output: Path, profile: str, chip: str, scopes: Scopes) -> Path:
    """Writes the file `PROFILE.conf` in `output` and returns its path."""
    path = output / f"{profile}.conf"
    text = json.dumps(configuration(output, profile, chip, scopes), indent=2)
    path.write_text(text + "\n", encoding="utf-8")
    return path
