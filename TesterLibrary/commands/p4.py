# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`tester p4`: compiles the program of a switch and says what it takes of the chip."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from ..files import paths
from ..p4 import sources
from ..p4.build import DEFAULT_PROTOCOLS, build, default_protocols, ship
from ..p4.compiler import find_compiler
from ..planning.switch.chip import INTERNAL_PIPES
from ..targets.tofino.session.daemon import PIPES, scopes_of, write_configuration
from ._command import command

_BUILD = """
Generates the P4 program of a switch for protocols, compiles it, and reports the stages, memory, meters,
registers and header space that it takes. The compiler is that of $P4C or $SDE_INSTALL. Beside the outputs is
PROFILE.conf, which the switch's daemon is started with. Exit status: 0, or 3 if there is no compiler, or the
program does not fit the chip.
"""


@command("p4", help="compile the program of a switch", description=_BUILD)
def _arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(title="actions", required=True, metavar="ACTION")

    building = actions.add_parser("build", help="generate, compile, report", description=_BUILD)
    building.add_argument("profile", metavar="PROFILE", help=f"one of {', '.join(sources.profiles())}")
    building.add_argument(
        "--protocol",
        action="append",
        default=[],
        metavar="FILE",
        help=f"a protocol file, or one of {', '.join(paths.names('protocols'))}; can be given several times "
        f"(default: {', '.join(DEFAULT_PROTOCOLS)}, where the profile has protocols)",
    )
    building.add_argument(
        "--headers",
        action="append",
        default=[],
        metavar="FILE",
        help=f"a file of headers of your own, or one of {', '.join(paths.names('headers'))}; can be given "
        "several times (default: none)",
    )
    building.add_argument(
        "--output",
        type=Path,
        metavar="DIR",
        help="what the compiler writes, made anew (default: results/p4/PROFILE)",
    )
    building.add_argument(
        "--internal",
        action="append",
        default=[],
        type=int,
        metavar="PIPE",
        help="a pipe of the chip whose ports loop; can be given several times "
        f"(default: {', '.join(map(str, INTERNAL_PIPES))}, as in a folded switch)",
    )
    building.add_argument(
        "--pipes",
        type=int,
        default=PIPES,
        metavar="N",
        help="of the chip: 2 of a switch with 32 ports (default: %(default)s)",
    )
    building.add_argument("--json", action="store_true", help="the report, for programs")
    building.add_argument(
        "--ship", action="store_true", help="keep schema and report in p4/build, with the sources"
    )
    building.set_defaults(run=_build)


def _build(options: argparse.Namespace) -> int:
    output = options.output or Path("results") / "p4" / options.profile
    scopes = scopes_of(sources.pipelines(sources.profile(options.profile)), options.internal, options.pipes)
    protocols = options.protocol or default_protocols(options.profile)
    done = build(find_compiler(), options.profile, protocols, output, options.headers, scopes)
    chip, _ = sources.chip(sources.profile(options.profile))
    configuration = write_configuration(output, done.profile, chip, scopes)
    (output / "resources.json").write_text(json.dumps(done.record(), indent=2) + "\n", encoding="utf-8")
    if options.ship:
        ship(done, output)
    if options.json:
        print(json.dumps(done.record(), indent=2))
    else:
        parts = ", ".join((*done.protocols, *done.headers))
        print(f"{done.profile}{' with ' if parts else ''}{parts}: compiled into {output}")
        print(done.resources.table())
        print(f"bf_switchd --conf-file {configuration}")
    return 0
