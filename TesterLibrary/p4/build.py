# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Builds the program of a switch: generates what depends on protocols, compiles, and says what it takes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..jobs.header_file import load_headers
from ..planning.match_action import match_action
from ..protocols.checker import load_protocol
from . import sources
from .compiler import compile_program
from .efsm import efsm
from .own_headers import own_headers
from .parser_states import check_parsers
from .resources import Resources, resources

DEFAULT_PROTOCOLS = ("http-get",)  # of shipped profiles
_SCHEMA = "bf-rt.json"
_REPORT = "resources.json"


@dataclass(frozen=True)
class Build:
    """A compiled program, and the hash of what it was made from."""

    profile: str
    protocols: tuple[str, ...]
    headers: tuple[str, ...]
    resources: Resources
    digest: str

    def record(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "profile": self.profile,
            "protocols": list(self.protocols),
            "headers": list(self.headers),
            "sources_sha256": self.digest,
            **self.resources.record(),
        }


def generate(protocols: Sequence[str], headers: Sequence[str] = ()) -> Mapping[str, str]:
    """Files of P4 text for protocols and header files, by names or paths.

    Raises:
        PlanError: as match_action, efsm and own_headers.
    """
    tables = [match_action(load_protocol(name)) for name in protocols]
    types = [own for name in headers for own in load_headers(name)]
    return {"efsm.p4": efsm(tables), "own_headers.p4": own_headers(types)}


def build(
    compiler: Path, profile: str, protocols: Sequence[str], output: Path, headers: Sequence[str] = ()
) -> Build:
    """Compiles into the folder `output`, which is made anew.

    Raises:
        PlanError: a protocol that the switch cannot hold, what the compiler complained of, or what it lost.
    """
    path = sources.profile(profile)
    chip, architecture = sources.chip(path)
    generated = generate(protocols, headers)
    source = output / "source"
    shutil.rmtree(output, ignore_errors=True)
    shutil.copytree(sources.root(), source, ignore=shutil.ignore_patterns("build", "templates"))
    for name, text in generated.items():
        (source / name).write_text(text, encoding="utf-8")
    program = source / f"{profile}.p4"
    shutil.copyfile(source / "profiles" / path.name, program)
    compile_program(compiler, program, output, chip=chip, architecture=architecture)
    check_parsers(output / f"{profile}.p4pp", output)
    return Build(
        profile, tuple(protocols), tuple(headers), resources(output), sources.digest(path, generated)
    )


def ship(done: Build, output: Path) -> None:
    """Keeps the outputs of a shipped profile with the sources: its schema and its report, with the hash."""
    folder = shipped(done.profile)
    folder.mkdir(parents=True, exist_ok=True)
    schema = json.loads((output / _SCHEMA).read_text(encoding="utf-8"))
    (folder / _SCHEMA).write_text(json.dumps(schema, indent=1) + "\n", encoding="utf-8")
    (folder / _REPORT).write_text(json.dumps(done.record(), indent=2) + "\n", encoding="utf-8")


def shipped(profile: str) -> Path:
    """The folder with the outputs of a shipped profile."""
    return sources.root() / "build" / profile
