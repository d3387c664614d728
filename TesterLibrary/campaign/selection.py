# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The tests of suites that are run, and the variables that they get."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from robot.api import TestSuite

from .frame_sizes import FrameSizeTests

_MODIFIER = f"{FrameSizeTests.__module__}.{FrameSizeTests.__name__}"


@dataclass(frozen=True)
class Selection:
    """Variables, tags and names of tests, as Robot's options of these names have them; empty: all tests.

    `sizes` are frame sizes for which suites get a test each, if they have none.
    """

    variables: Mapping[str, str] = field(default_factory=dict)
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    sizes: tuple[str, ...] = ()

    def extend(self, suite: TestSuite) -> None:
        """Adds to suites the tests of frame sizes that they lack."""
        suite.visit(FrameSizeTests(*self.sizes))

    def modifiers(self) -> Iterator[str]:
        """Robot's options that add the same tests."""
        if self.sizes:
            yield from ("--prerunmodifier", ":".join((_MODIFIER, *self.sizes)))

    def apply(self, suite: TestSuite) -> None:
        """Takes out of a suite the tests that are not chosen."""
        suite.configure(
            include_tags=self.include or None,  # an empty list would choose no test
            exclude_tags=self.exclude or None,
            include_tests=self.tests or None,
            empty_suite_ok=True,
        )

    def matches(self, suite: TestSuite) -> bool:
        """Whether it chooses a test of a suite, which stays as it is."""
        copy = suite.deepcopy()
        self.apply(copy)
        return bool(copy.test_count)

    def parts(self) -> Iterator[Selection]:
        """Each tag and name that is asked for, as a selection of its own."""
        yield from (Selection(include=(tag,)) for tag in self.include)
        yield from (Selection(tests=(name,)) for name in self.tests)

    def options(self) -> Iterator[str]:
        """Robot's options that choose the same tests."""
        for name, values in (("include", self.include), ("exclude", self.exclude), ("test", self.tests)):
            for value in values:
                yield from (f"--{name}", value)

    def __str__(self) -> str:
        """The choice in words: `with include fast, test 64 Bytes`; empty if all tests are chosen."""
        chosen = list(self.options())
        named = (f"{name[2:]} {value}" for name, value in zip(chosen[::2], chosen[1::2], strict=True))
        return f" with {', '.join(named)}" if chosen else ""
