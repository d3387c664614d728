#!/usr/bin/env python3
# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Prints the files of folders of src/ and of those in them, one a line: meson itself has no wildcards.

    sources.py .cc FOLDER...         what a library is made of: neither tests nor programs
    sources.py _test.cc FOLDER...    tests
    sources.py .binpb FOLDER...      plans
    sources.py actions FOLDER        what listed_actions.h.in is filled with

The end of a file's name says what it is: *_test.cc is a test, *_main.cc a program with a main() of its own.
tools/engine.py configures the build each time and so finds new files; with ninja alone: `ninja reconfigure`.
"""

import sys
from pathlib import Path

SOURCES = Path(__file__).resolve().parent / "src"


def main(ending: str, *folders: str) -> None:
    """Lists the files of all folders whose names have that end."""
    for name in folders:
        folder = SOURCES / name
        if not folder.is_dir():
            raise SystemExit(f"sources.py: {folder} is no folder")
        for file in sorted(folder.rglob(f"*{ending}")):
            if ending != ".cc" or not file.stem.endswith(("_test", "_main")):
                print(file.relative_to(SOURCES))


def actions(folder: str) -> None:
    """Prints includes of all files NAME_action.h and, behind a line of dashes, the structs NameAction."""
    stems = sorted(file.stem for file in (SOURCES / folder).glob("*_action.h"))
    print("\n".join(f'#include "{folder}/{stem}.h"' for stem in stems))
    print("--")
    print(", ".join(stem.title().replace("_", "") for stem in stems))


if __name__ == "__main__":
    if sys.argv[1] == "actions":
        actions(*sys.argv[2:])
    else:
        main(*sys.argv[1:])
