# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""`tester import`: a configuration of Open Traffic Generator becomes a job file."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..errors import TesterLibraryError
from ..model.units.units import Bandwidth
from ._command import command

_DESCRIPTION = """
Writes a job file of a configuration of Open Traffic Generator, as JSON (`config.serialize()` of snappi). What
has no equivalent is refused, each by its path (exit status 3); then no file is written.
"""


@command(
    "import", help="make a job file of an Open Traffic Generator configuration", description=_DESCRIPTION
)
def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("config", type=Path, metavar="CONFIG.json", help="the configuration")
    parser.add_argument("--output", type=Path, metavar="JOB.yaml", help="default: to the console")
    parser.add_argument("--speed", default="10 Gbps", help="of ports without one in it (default: 10 Gbps)")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from ..service.otg.job_file import job_file  # these take long to load
    from ..service.otg.json_text import parsed
    from ..service.otg.refusal import OtgError

    try:
        body = options.config.read_bytes()
    except OSError as problem:
        raise TesterLibraryError(f"{options.config} cannot be read: {problem.strerror}") from None
    speed = Bandwidth.parse(options.speed)
    try:
        text = job_file(parsed("Config", body), options.config.stem, speed)
    except OtgError as refused:
        listed = "".join(f"\n  {error}" for error in refused.errors)
        raise TesterLibraryError(f"{options.config} is refused:{listed}") from None
    if options.output is None:
        print(text, end="")
        return 0
    try:
        options.output.write_text(text)
    except OSError as problem:
        raise TesterLibraryError(f"{options.output} cannot be written: {problem.strerror}") from None
    return 0
