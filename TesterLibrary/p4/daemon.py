# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""What the daemon of a switch is started with: which part of a program each pipe of the chip runs."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

from ..errors import PlanError

PIPES = 4  # of the largest chip; the compiler's own configurations name as many for every chip
_FAMILIES = {"tofino": "Tofino", "tofino2": "Tofino2"}


def scopes(internal: Collection[int]) -> dict[str, list[int]]:
    """The pipes of each part: internal are those whose ports loop, external all others.

    Raises:
        PlanError: there are no such pipes, or one of the two kinds has none.
    """
    if not set(internal) <= set(range(PIPES)) or len(set(internal)) not in range(1, PIPES):
        raise PlanError(
            f"internal pipes {', '.join(map(str, internal)) or '(none)'}: allowed are 1 to {PIPES - 1} of "
            f"the pipes 0 to {PIPES - 1}"
        )
    return {"external": sorted(set(range(PIPES)) - set(internal)), "internal": sorted(set(internal))}


def configuration(output: Path, profile: str, chip: str, internal: Collection[int]) -> dict[str, Any]:
    """For `bf_switchd --conf-file`, as JSON has it. Raises as `scopes` does.

    Args:
        output: The folder that the compiler wrote.
        chip: The compiler's name of it.
        internal: Pipes whose ports loop.
    """
    folder = output.resolve()
    pipelines = [
        {
            "p4_pipeline_name": name,
            "context": str(folder / name / "context.json"),
            "config": str(folder / name / f"{profile}.bin"),
            "pipe_scope": scope,
        }
        for name, scope in scopes(internal).items()
    ]
    program = {
        "program-name": profile,
        "bfrt-config": str(folder / "bf-rt.json"),
        "p4_pipelines": pipelines,
    }
    return {
        "chip_list": [{"id": "asic-0", "instance": 0, "chip_family": _FAMILIES[chip]}],
        "instance": 0,
        "p4_devices": [{"device-id": 0, "p4_programs": [program]}],
    }


def write_configuration(output: Path, profile: str, chip: str, internal: Collection[int]) -> Path:
    """The file `PROFILE.conf` in `output`. Raises as `scopes` does."""
    path = output / f"{profile}.conf"
    text = json.dumps(configuration(output, profile, chip, internal), indent=2)
    path.write_text(text + "\n", encoding="utf-8")
    return path
