# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Builds the program of a switch: generates its protocol-dependent parts, compiles, and reports resources."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import PlanError
from ..files.headers import load_headers
from ..model.headers import HeaderType
from ..planning.switch.chip import TOFINO, Chip, chip_of
from ..planning.switch.editor import own_fields
from ..planning.switch.match_action import MatchAction, match_action
from ..planning.switch.replies import replies_only
from ..protocols.checker import load_protocol
from ..targets.tofino.session.daemon import PIPES, Scopes, scopes_of
from ..targets.tofino.session.program import NOTES
from . import outputs, sources
from .compiler import compile_program, options
from .efsm import efsm, ipv6_answers, queue_numbers
from .outputs import shipped
from .own_headers import own_headers
from .parser_states import check_parsers
from .replies import replies
from .resources import Resources, resources

# Protocols of shipped profiles that have any.
DEFAULT_PROTOCOLS = (
    "http-get",
    "http-get-client",
    "syn-flood",
    "arp",
    "icmp-echo",
    "udp-echo",
    "syn-reset",
    "dns-one",
)


def default_protocols(profile: str) -> tuple[str, ...]:
    """The protocols that a profile is built with unless others are given; PlanError as `sources.profile`."""
    return DEFAULT_PROTOCOLS if sources.has_protocols(sources.profile(profile)) else ()


@dataclass(frozen=True)
class Build:
    """A compiled program, and the hash of what it was made from."""

    profile: str
    protocols: tuple[str, ...]
    headers: tuple[str, ...]
    resources: Resources
    digest: str

    def record(self) -> dict[str, Any]:
        """The build as it is written to JSON."""
        return {
            "profile": self.profile,
            "protocols": list(self.protocols),
            "headers": list(self.headers),
            "sources_sha256": self.digest,
            "compiler_options": list(options(*sources.chip(sources.profile(self.profile)))),
            **self.resources.record(),
        }


@dataclass(frozen=True)
class Parts:
    """The protocols and headers that a program is generated from, in addition to the P4 sources."""

    keeping: tuple[MatchAction, ...]  # protocols with templates
    bypassing: tuple[MatchAction, ...]  # protocols that send back the packet in hand
    headers: tuple[HeaderType, ...]

    @classmethod
    def of(cls, protocols: Sequence[str], headers: Sequence[str] = (), chip: Chip = TOFINO) -> Parts:
        """Protocols and header files by names or paths, for a chip. PlanError as match_action."""
        programs = [match_action(load_protocol(name), chip=chip) for name in protocols]
        return cls.made(programs, [load_header for name in headers for load_header in load_headers(name)])

    @classmethod
    def made(cls, programs: Sequence[MatchAction], headers: Sequence[HeaderType] = ()) -> Parts:
        """The parts for protocols that are loaded already."""
        bypassing = tuple(program for program in programs if replies_only(program.protocol))
        return cls(
            tuple(program for program in programs if program not in bypassing), bypassing, tuple(headers)
        )

    def text(self) -> Mapping[str, str]:
        """Files of P4. PlanError as efsm, replies and own_headers."""
        return {
            "efsm.p4": efsm(self.keeping),
            "replies.p4": replies(self.bypassing),
            "own_headers.p4": own_headers(self.headers),
            "ipv6_answers.p4": ipv6_answers(self.keeping),
        }

    def notes(self, profile: str) -> dict[str, Any]:
        """Facts about the program that the driver needs and the schema does not contain."""
        programs = (*self.keeping, *self.bypassing)
        return {
            "profile": profile,
            "protocols": [program.protocol.name for program in programs],
            "queues": queue_numbers(self.keeping),
            "own_fields": own_fields(self.headers),
        }


def generate(protocols: Sequence[str], headers: Sequence[str] = (), chip: Chip = TOFINO) -> Mapping[str, str]:
    """Files of P4 text for protocols and header files, by names or paths, and for a chip.

    Raises:
        PlanError: as match_action, efsm, replies and own_headers.
    """
    return Parts.of(protocols, headers, chip).text()


def check_programs(programs: Sequence[MatchAction]) -> None:
    """PlanError for what no program of a switch can do."""
    Parts.made(programs).text()


def build(
    compiler: Path,
    profile: str,
    protocols: Sequence[str],
    output: Path,
    headers: Sequence[str] = (),
    scopes: Scopes | None = None,
) -> Build:
    """Compiles into the folder `output`, which is made anew.

    Args:
        compiler: The compiler's driver.
        profile: The profile.
        protocols: Protocols by names or paths.
        output: The folder.
        headers: Files of headers of the user's own.
        scopes: What each pipe of the chip runs; None: as in a folded switch with four pipes.

    Raises:
        PlanError: a protocol that the switch cannot hold, what the compiler complained of, or what it lost.
    """
    path = sources.profile(profile)
    _check_parts(profile, path, protocols, headers)
    scopes = scopes or scopes_of(sources.pipelines(path), (), PIPES)
    chip, architecture = sources.chip(path)
    parts = Parts.of(protocols, headers, chip_of(chip))
    generated = parts.text()
    digest = sources.digest(path, generated)
    source = output / "source"
    shutil.rmtree(output, ignore_errors=True)
    shutil.copytree(sources.root(), source, ignore=shutil.ignore_patterns("build", "templates"))
    for name, text in generated.items():
        (source / name).write_text(text, encoding="utf-8")
    program = source / f"{profile}.p4"
    shutil.copyfile(source / "profiles" / path.name, program)
    compile_program(compiler, program, output, chip=chip, architecture=architecture)
    check_parsers(profile, output)
    outputs.write(output / NOTES, {**parts.notes(profile), "pipes": scopes.record()})
    return Build(profile, tuple(protocols), tuple(headers), resources(output), digest)


def _check_parts(profile: str, path: Path, protocols: Sequence[str], headers: Sequence[str]) -> None:
    """PlanError for protocols and headers that a profile would leave out."""
    given = (*protocols, *headers)
    if given and not sources.has_protocols(path):
        raise PlanError(
            f"the profile {profile} has no protocols and no headers of your own, so it cannot be built with "
            f"{', '.join(given)}; leave them out, or build another profile"
        )


def ship(done: Build, output: Path) -> None:
    """Keeps the outputs of a shipped profile with the sources: schema, notes and a report with all hashes."""
    folder = shipped(done.profile)
    folder.mkdir(parents=True, exist_ok=True)
    for name in outputs.OUTPUTS:
        outputs.write(folder / name, outputs.read(output / name))
    outputs.write(folder / outputs.REPORT, {**done.record(), "outputs_sha256": outputs.hashes(folder)})
