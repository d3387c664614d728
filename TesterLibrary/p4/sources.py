# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The P4 sources that come with the library, and the hash that ties compiled outputs to them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ..errors import PlanError
from ..files.paths import data_root

# The chip that a profile compiles for, by the architecture that it includes.
_CHIPS = {"tna.p4": ("tofino", "tna"), "t2na.p4": ("tofino2", "t2na")}


def root() -> Path:
    """The folder ``p4/``."""
    return data_root() / "p4"


def templates() -> Environment:
    """The templates of the generated P4 files."""
    return Environment(
        loader=FileSystemLoader(root() / "templates"), undefined=StrictUndefined, keep_trailing_newline=True
    )


def profiles() -> list[str]:
    """The names of the shipped profiles."""
    return sorted(path.stem for path in (root() / "profiles").glob("*.p4"))


def profile(name: str) -> Path:
    """The file of a shipped profile. PlanError says which there are."""
    path = root() / "profiles" / f"{name}.p4"
    if name not in profiles():
        raise PlanError(f"{name!r} is no profile; these are: {', '.join(profiles())}")
    return path


def chip(path: Path) -> tuple[str, str]:
    """The chip and the architecture that a profile is for, by the compiler's names."""
    included = re.findall(r"#include <(\w+\.p4)>", path.read_text(encoding="utf-8"))
    found = [_CHIPS[name] for name in included if name in _CHIPS]
    if len(found) != 1:
        raise PlanError(
            f"{path} includes none, or several, of {', '.join(_CHIPS)}: one says which chip it is for"
        )
    return found[0]


def sources(path: Path) -> list[Path]:
    """A profile and all files of this folder that it includes, each once, in the order of inclusion."""
    found: list[Path] = []

    def add(file: Path) -> None:
        if file in found:
            return
        found.append(file)
        for name in re.findall(r'^#include "([^"]+)"', file.read_text(encoding="utf-8"), re.MULTILINE):
            near = (file.parent / name).resolve()
            add(near if near.is_file() else (root() / name).resolve()) if name not in GENERATED else None

    add(path.resolve())
    return found


GENERATED = ("efsm.p4", "replies.p4", "own_headers.p4", "ipv6_answers.p4")
_PROTOCOLS = "efsm.p4"  # a program that includes it has protocols


def has_protocols(path: Path) -> bool:
    """Whether protocols are compiled into a profile."""
    return any(f'#include "{_PROTOCOLS}"' in file.read_text(encoding="utf-8") for file in sources(path))


def pipelines(path: Path) -> list[str]:
    """The names of the pipelines that a profile declares, in their order."""
    texts = (file.read_text(encoding="utf-8") for file in sources(path))
    return [name for text in texts for name in re.findall(r"^Pipeline\([^;]*\) (\w+);", text, re.MULTILINE)]


def digest(path: Path, generated: Mapping[str, str]) -> str:
    """SHA-256 of a profile, of all that it includes and of what was generated for it."""
    total = hashlib.sha256()
    for file in sources(path):
        total.update(f"{file.relative_to(root().resolve())}\n".encode())
        total.update(file.read_bytes())
    for name in GENERATED:
        total.update(generated[name].encode())
    return total.hexdigest()
