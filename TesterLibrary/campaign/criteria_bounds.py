# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The bounds that tests ask criteria for, held against a file before anything is run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from robot.api import TestSuite

from ..errors import TesterLibraryError
from ..files.criteria import criteria_values

_USE = re.compile(r"\$\{CRITERIA\.([a-z_.]+)\}(?:\[(\w+)\])?")  # ${CRITERIA.throughput}[64]


def check_bounds(path: Path, suite: TestSuite) -> None:
    """Refuses criteria that lack a bound which a test of the suite asks for.

    Raises:
        TesterLibraryError: names the file, every bound that is missing, and what to do.
    """
    values = criteria_values(path)
    used = [use for test in suite.all_tests for use in _uses(test.body)]
    missing: dict[str, dict[str, None]] = {}
    for section, key in used:
        bound = _section(values, section)
        if bound is None:
            missing[section] = {}
        elif key and key not in bound:
            missing.setdefault(section, {})[key] = None
    if not missing:
        return
    absent = {key for keys in missing.values() for key in keys}
    there = [key for section, key in used if _section(values, section) is not None]
    sizes = dict.fromkeys(f"--size {key}" for key in there if key.isdecimal() and key not in absent)
    choose = f"choose the sizes that it has, {' '.join(sizes)}, or " if sizes and absent else ""
    raise TesterLibraryError(
        f"{path} lacks bounds that the tests ask for: {'; '.join(map(_text, missing, missing.values()))}. "
        f"Give them there, or {choose}choose tests with --test, --include or --exclude"
    )


def _uses(body: Iterable[Any]) -> Iterator[tuple[str, str]]:
    """Section and key of each bound in the arguments of keywords; the key is empty where there is none."""
    for item in body:
        for argument in getattr(item, "args", ()):
            yield from ((section, key or "") for section, key in _USE.findall(str(argument)))
        yield from _uses(getattr(item, "body", ()))


def _section(values: Mapping[str, Any], name: str) -> Any:
    """The value of `switching.mesh`; None if the criteria have none."""
    found: Any = values
    for part in name.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def _text(section: str, keys: Iterable[str]) -> str:
    named = ", ".join(keys)
    return f"{section} of {named}" if named else section
