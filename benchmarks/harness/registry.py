# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The list of benchmarks: each registers itself when its file is imported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules

from .outcome import Bound, Outcome


@dataclass(frozen=True)
class Settings:
    """How long and how often is measured."""

    runs: int = 9  # rounds of alternating measurements
    seconds: float = 1.0  # duration of each measurement

    def __post_init__(self) -> None:
        if self.runs < 1 or self.seconds <= 0:
            raise ValueError(f"{self}: runs is at least 1 and seconds above 0")


@dataclass(frozen=True)
class Benchmark:
    """Something to measure, and what is asked of it."""

    name: str
    unit: str
    bound: Bound
    description: str
    measure: Callable[[Settings], Outcome]


_benchmarks: dict[str, Benchmark] = {}
_Measure = Callable[[Settings], Outcome]


def benchmark(*, unit: str, bound: Bound) -> Callable[[_Measure], _Measure]:
    """Registers a function under its own name; the first line of its docstring describes it."""

    def register(measure: _Measure) -> _Measure:
        name = measure.__name__
        if name in _benchmarks:
            raise ValueError(f"there are two benchmarks named {name}")
        description = (measure.__doc__ or "").strip().split("\n")[0]
        _benchmarks[name] = Benchmark(name, unit, bound, description, measure)
        return measure

    return register


def load(package: str) -> dict[str, Benchmark]:
    """Every benchmark of a package, by name, in the order of the names."""
    for module in iter_modules(import_module(package).__path__, f"{package}."):
        if not module.ispkg and not module.name.endswith("__main__"):
            import_module(module.name)
    return dict(sorted(_benchmarks.items()))
