# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands that run Python of this library in a process of its own: `python_process.py MODULE ARGUMENTS…`.

`python -m` has the user's folder first on its path, so that a file `copy.py` there would be run in place of
Python's own, as root. This file is run by its path instead. It has neither the user's folder nor its own on
the path, and that of the library last; PYTHONPATH and installed packages are where they always are.

It is run by its path, so it imports nothing of the library.
"""

from __future__ import annotations

import sys

if __name__ == "__main__" and not getattr(sys.flags, "safe_path", False):
    del sys.path[0]  # the folder of this file, before anything is looked for there

import os
import runpy

_CODE = "-c"


def python_command(module: str, *arguments: str) -> list[str]:
    """The command that runs a module of this library, as `python -m` would."""
    return [sys.executable, __file__, module, *arguments]


def python_code(code: str) -> list[str]:
    """The command that runs some Python, as `python -c` would."""
    return python_command(_CODE, code)


def _main() -> None:
    if "" in os.environ.get("PYTHONPATH", "x").split(os.pathsep):  # Python takes it for the user's folder
        sys.path = [path for path in sys.path if path not in ("", os.getcwd())]  # noqa: PTH109
    library = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120
    sys.path.append(os.path.dirname(library))  # noqa: PTH120
    _, module, *arguments = sys.argv
    code = arguments.pop(0) if module == _CODE else None
    sys.argv = [module, *arguments]
    if code is not None:
        exec(code, {"__name__": "__main__"})
    else:
        runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    _main()
