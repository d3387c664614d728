# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The program as the compiler on this machine reads it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from TesterLibrary.p4.build import build, default_protocols
from TesterLibrary.p4.compiler import find_compiler
from TesterLibrary.planning.switch.chip import chip_of

from .program import P4Program


@cache
def compiled(profile: str) -> P4Program:
    """A shipped profile. PlanError if there is no compiler, or if it refuses the program."""
    with TemporaryDirectory() as folder:
        return compiled_into(Path(folder) / "build", profile, default_protocols(profile))


def compiled_into(output: Path, profile: str, protocols: Sequence[str]) -> P4Program:
    """A profile with protocols, whose outputs are kept. PlanError as compiled."""
    build(find_compiler(), profile, protocols, output)
    return P4Program.load(output / "frontend-ir.json", chip_of(profile).profile)
