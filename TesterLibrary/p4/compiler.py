# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The P4 compiler of the user's installation: found, and run."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..errors import PlanError

_NAMES = ("bf-p4c", "p4c")  # the driver's names in installations
_WHERE = (
    "set P4C to the p4c driver of an installation with the Tofino back end, or SDE_INSTALL to the folder "
    "whose bin/ has it; docs/tofino.md says where to get it"
)
_LAST = 20  # lines of the compiler's messages that are shown


def find_compiler(environment: Mapping[str, str] = os.environ) -> Path:
    """The compiler's driver.

    Raises:
        PlanError: neither variable is set, or what is set has none.
    """
    if named := environment.get("P4C"):
        path = Path(named)
        if not os.access(path, os.X_OK) or path.is_dir():
            raise PlanError(f"P4C is {named!r}, which is no program; {_WHERE}")
        return path
    if install := environment.get("SDE_INSTALL"):
        for name in _NAMES:
            path = Path(install) / "bin" / name
            if os.access(path, os.X_OK):
                return path
        raise PlanError(
            f"SDE_INSTALL is {install!r}, but {install}/bin has no {' or '.join(_NAMES)}; {_WHERE}"
        )
    raise PlanError(f"there is no P4 compiler: {_WHERE}")


def options(chip: str, architecture: str) -> tuple[str, ...]:
    """The compiler's options except paths; the outputs depend on them."""
    return ("--target", chip, "--arch", architecture, "--std", "p4-16", "-g")


def compile_program(compiler: Path, source: Path, output: Path, *, chip: str, architecture: str) -> None:
    """Writes what a switch is loaded with, its schema and the compiler's logs to the folder `output`.

    Raises:
        PlanError: what the compiler complained of.
    """
    source, output = source.resolve(), output.resolve()
    output.mkdir(parents=True, exist_ok=True)
    command = [
        str(compiler.resolve()),
        *options(chip, architecture),
        *("-I", str(source.parent), "-o", str(output)),
        *("--bf-rt-schema", str(output / "bf-rt.json")),
        str(source),
    ]
    # There, since it leaves a log in the folder in which it runs.
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=output)
    if done.returncode:
        said = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        raise PlanError("\n".join([f"{source.name} was not compiled: {compiler} says", *_cause(said)]))


def _cause(said: Sequence[str]) -> Sequence[str]:
    """The lines that matter: from the first error on, which warnings of another part may follow."""
    error = next((number for number, line in enumerate(said) if "error" in line.lower()), None)
    return said[-_LAST:] if error is None else said[error : error + _LAST]
