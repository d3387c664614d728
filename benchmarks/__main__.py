# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs benchmarks and writes what they found to `results/bench/summary.json`.

    python -m benchmarks --only generate_fixed_64 --runs 3

Exit status: 0 if all was measured, also where a bound is missed; 1 if a benchmark could not be run; 2 for
wrong arguments; 130 after Ctrl-C.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from TesterLibrary.reporting.record.machine import describe_machine

from .harness.machine import control_cpu, load_average, sending_cpu
from .harness.outcome import Outcome
from .harness.registry import Benchmark, Settings, load
from .harness.summary import entry, write
from .harness.table import render

_SUMMARY = Path("results/bench/summary.json")


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status."""
    known = load(__package__)
    options = _parser(known).parse_args(arguments)
    if options.list:
        width = max(map(len, known)) + 2
        for each in known.values():
            print(f"{each.name:<{width}}{each.description} (bound {each.bound.text})")
        return 0
    chosen = [known[name] for name in options.only or known]
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    _print_machine()
    outcomes: dict[str, Outcome | str] = {}
    try:
        for each in chosen:
            outcomes[each.name] = _measured(each, Settings(options.runs, options.seconds))
            print(render([each], outcomes), flush=True)
            write(options.output, {name: entry(known[name].unit, found) for name, found in outcomes.items()})
    except KeyboardInterrupt:
        print(f"interrupted; {len(outcomes)} of {len(chosen)} are in {options.output}", file=sys.stderr)
        return 130
    print(f"Summary: {options.output}")
    return 1 if any(isinstance(outcome, str) for outcome in outcomes.values()) else 0


def _measured(each: Benchmark, settings: Settings) -> Outcome | str:
    """The outcome of a benchmark, or why it has none. An error in one benchmark does not end the others."""
    started = time.monotonic()
    print(f"... {each.name}", end="", file=sys.stderr, flush=True)
    try:
        return each.measure(settings)
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"
    finally:
        print(f" {time.monotonic() - started:.0f} s", file=sys.stderr)


def _print_machine() -> None:
    machine = describe_machine()
    system = f"{machine['system']}, Linux {machine['kernel']}"
    print(f"{machine['processor']}, {machine['processors']} CPUs, {system}")
    cpus = f"sending on CPU {sending_cpu()}, everything else on CPU {control_cpu()}"
    print(f"{cpus}; load average {load_average()}\n")


def _parser(known: dict[str, Benchmark]) -> argparse.ArgumentParser:
    usual = Settings()
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Speed, side by side with peers."
    )
    parser.add_argument("--list", action="store_true", help="show which there are")
    parser.add_argument(
        "--only", action="append", choices=list(known), metavar="NAME", help="this one; can be repeated"
    )
    parser.add_argument("--runs", type=_whole, default=usual.runs, help="rounds of each [%(default)s]")
    parser.add_argument(
        "--seconds", type=_seconds, default=usual.seconds, help="of each measurement [%(default)s]"
    )
    parser.add_argument("--output", type=Path, default=_SUMMARY, help="[%(default)s]")
    return parser


def _whole(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of 1 or more")
    return int(text)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 3600:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds above 0, up to 3600")
    return value


if __name__ == "__main__":
    sys.exit(main())
