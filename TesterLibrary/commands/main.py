# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The command `tester`: finds the subcommands beside it, and runs the one that was asked for."""

from __future__ import annotations

import argparse
import importlib
import os
import pkgutil
import select
import signal
import sys
import traceback
from collections.abc import Sequence
from typing import NoReturn

from .. import commands
from ..campaign.child_status import StatusWriter
from ..errors import TesterLibraryError, did_you_mean
from ..reporting.record.machine import versions
from ..reporting.record.outcome import ERROR, EXIT_STATUS, WRONG_COMMAND_LINE
from ._command import STATUS_HELP, registered

STATUS = EXIT_STATUS
_OUTCOMES = {status: outcome for outcome, status in STATUS.items()}
_READER_GONE = 128 + signal.SIGPIPE  # as of a command of the shell that such a signal ends


class _Parser(argparse.ArgumentParser):
    """Ends with a status of its own, because argparse's is that of an inconclusive certification.

    It says what was meant, as Python 3.14 does, and refuses an unknown option with the usage of its command.
    """

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(WRONG_COMMAND_LINE, f"{self.prog}: error: {message}\n")

    def refuse(self, unknown: Sequence[str]) -> NoReturn:
        """Ends with arguments that no command takes."""
        option = next((word for word in unknown if word.startswith("-")), "")
        meant = did_you_mean(option.partition("=")[0], self._option_string_actions)
        self.error(f"unrecognized arguments: {' '.join(unknown)}{meant}")

    def _check_value(self, action: argparse.Action, value: object) -> None:
        if action.choices is not None and value not in action.choices:
            choices = ", ".join(map(str, action.choices))
            meant = did_you_mean(value, action.choices)
            raise argparse.ArgumentError(action, f"invalid choice: {value!r}{meant}; choose from {choices}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command. Returns its exit status."""
    options, unknown = _parser().parse_known_args(arguments)
    if unknown:
        options.parser.refuse(unknown)
    options.events = StatusWriter(options.status_fd)
    try:
        status: int = options.run(options)
        print(end="", flush=True)  # here, not when Python ends: nobody may read it
    except TesterLibraryError as error:
        status = _failed(options, str(error))
    except BrokenPipeError:
        if not _is_reader_gone():  # it is the pipe of somebody else
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes once more
        status = _READER_GONE
    except OSError as problem:  # a full disk, for example
        status = _failed(options, str(problem))
    except Exception as fault:  # a fault of ours is no verdict: Python's own status is that of FAIL
        traceback.print_exc()
        options.events.tell("error", text=f"a fault of tester itself: {fault!r}")
        status = STATUS[ERROR]
    options.events.tell("ended", outcome=_OUTCOMES.get(status, ERROR))
    return status


def _failed(options: argparse.Namespace, problem: str) -> int:
    print(f"tester: {problem}", file=sys.stderr)
    options.events.tell("error", text=problem)
    return STATUS[ERROR]


def _is_reader_gone() -> bool:
    """Whether who reads the output has enough of it, as `head` has."""
    output = select.poll()
    output.register(sys.stdout, 0)  # errors alone
    return bool(output.poll(0))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="tester",
        description="Certifies network devices with real traffic: RFC 2544 and beyond.",
        epilog=STATUS_HELP,
    )
    version = versions().get("robotframework-testerlibrary", "from a source tree")
    parser.add_argument("--version", action="version", version=f"tester {version}")
    parser.add_argument(
        "--status-fd", type=int, metavar="FD", help="for a parent process: tell it events, as JSON lines"
    )
    subparsers = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for module in pkgutil.iter_modules(commands.__path__):
        if not module.name.startswith("_") and module.name != "main":
            importlib.import_module(f"{commands.__name__}.{module.name}")
    for command in registered:
        parser_of_command = subparsers.add_parser(command.name, **command.parser_options)
        parser_of_command.set_defaults(parser=parser_of_command)
        command.add_arguments(parser_of_command)
    return parser


if __name__ == "__main__":
    sys.exit(main())
