# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Restores interfaces that an engine has changed before it was killed."""

from __future__ import annotations

import subprocess

from ...errors import TargetError
from .program import find_program

_ANSWER_S = 60.0


def restore_interfaces() -> tuple[str, ...]:
    """Undoes the changes that killed engines made to interfaces of this network namespace, and returns them.

    Interfaces of a running engine are left alone. Without an engine's program it does nothing.

    Raises:
        TargetError: the engine could not do it, with its reason.
    """
    try:
        program = find_program()
    except TargetError:
        return ()
    try:
        done = subprocess.run(
            [program, "--restore"], capture_output=True, text=True, timeout=_ANSWER_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise TargetError(f"testerd --restore has not ended within {_ANSWER_S:g} s") from None
    if done.returncode:
        raise TargetError(f"testerd --restore ended with status {done.returncode}: {done.stderr.strip()}")
    return tuple(done.stdout.splitlines())
