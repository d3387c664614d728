# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How a subcommand of `tester` makes itself known."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

STATUS_HELP = """
exit status: 0 done; 3 an error, which is said; 64 the command line is wrong. `tester certify --help` tells
those of a certification.
"""

Arguments = Callable[[ArgumentParser], None]


@dataclass(frozen=True)
class Command:
    """A subcommand: its name, what its help says, and how its arguments are added to its parser."""

    name: str
    parser_options: dict[str, Any]  # of argparse: help, description and the like
    add_arguments: Arguments


registered: list[Command] = []


def command(name: str, **parser_options: Any) -> Callable[[Arguments], Arguments]:
    """Decorator of the function that adds the arguments of a subcommand; one of them is `run`.

    `run` is set with `parser.set_defaults(run=…)`: it takes the parsed options and returns the exit status.
    """

    def register(add_arguments: Arguments) -> Arguments:
        registered.append(Command(name, parser_options, add_arguments))
        return add_arguments

    return register
