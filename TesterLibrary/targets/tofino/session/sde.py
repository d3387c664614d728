# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Finds the vendor's client in the user's SDE, and runs it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from ....errors import TestbedError
from .remote import RemoteSwitch

_CLIENT = "bfrt_grpc"  # the vendor's name of the client
# The user's folder is not on the path, and that of our modules comes last: no file hides a module of Python.
_RUN = (
    "import sys; sys.path = [path for path in sys.path if path]; import runpy; "
    "sys.path.append(sys.argv.pop(1)); runpy.run_module('vendor', run_name='__main__')"
)


def vendor_switch(
    address: str,
    program: str,
    cpu_interface: str,
    prefix: Sequence[str] = (),
    at_end: Callable[[], object] | None = None,
) -> RemoteSwitch:
    """The vendor's client for the daemon at HOST:PORT, in its process.

    Args:
        address: Of the daemon.
        program: The program's name in the daemon.
        cpu_interface: The interface to the port of the switch's CPU.
        prefix: Words before a command, so that it runs where daemon and interface are.
        at_end: Called when it is closed.

    Raises:
        TestbedError: SDE_INSTALL is not set, or there is no client in it.
    """
    root = sde_install()
    folders = list(_folders(root))
    if not folders:
        raise TestbedError(f"SDE_INSTALL={root}: there is no {_CLIENT} below lib/python*/site-packages")
    modules = str(Path(__file__).parents[1])
    client = [str(_python(root, folders[0])), "-c", _RUN, modules, address, program, cpu_interface]
    path = os.pathsep.join(map(str, folders))
    return RemoteSwitch([*prefix, *client], environment={"PYTHONPATH": path}, at_end=at_end)


def sde_install() -> Path:
    """The folder that the SDE is installed in. TestbedError: SDE_INSTALL does not name it."""
    root = os.environ.get("SDE_INSTALL")
    if not root:
        raise TestbedError(
            "a switch is driven by the client of its vendor's SDE: set SDE_INSTALL to the folder where that "
            "is installed"
        )
    return Path(root)


def _folders(root: Path) -> Iterator[Path]:
    """The folders of the client's modules and of the modules that it needs."""
    for packages in sorted(root.glob("lib/python*/site-packages")):
        for folder in (packages, packages / "tofino"):
            if (folder / _CLIENT).is_dir():
                yield from dict.fromkeys((folder, packages))
                return


def _python(root: Path, packages: Path, environment: Mapping[str, str] = os.environ) -> Path:
    """The Python for the client: SDE_PYTHON, or the SDE's, or one of the version of the SDE's packages."""
    chosen = environment.get("SDE_PYTHON")
    version = next(part for part in packages.parts if part.startswith("python"))
    for name in (chosen, str(root / "bin" / "python3"), version, "python3"):
        found = shutil.which(name) if name else None
        if found:
            return Path(found)
    raise TestbedError(f"there is no {version} for the client of the SDE; set SDE_PYTHON")
