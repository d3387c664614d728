# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of any frame size, also where a suite has no row for it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from robot.api import SuiteVisitor

from ..errors import ChoiceError, UnitError
from ..model.units.units import FrameSize

_IMIX = "imix"
_RANGE = re.compile(r"([0-9]+)(?:-([0-9]+)/([0-9]+))?")
_ROW = re.compile("([0-9]+) Bytes")  # name of a test
_MOST = 100  # sizes of a range: each is a test of some seconds to hours


def frame_sizes(text: str) -> tuple[str, ...]:
    """The sizes of `1518`, `imix` or `64-1518/128`, which is from 64 to at most 1518 bytes in steps of 128.

    Raises:
        ChoiceError: the text is something else, or a range of more than 100 sizes.
    """
    written = text.strip().lower()
    if written == _IMIX:
        return (_IMIX,)
    numbers = _RANGE.fullmatch(written)
    if not numbers:
        raise ChoiceError(
            f"{text!r} is no frame size; write 1518, imix, or 64-1518/128 for each 128 bytes from 64 to 1518"
        )
    first, last, step = int(numbers[1]), int(numbers[2] or numbers[1]), int(numbers[3] or 1)
    if step == 0 or not 1 <= len(range(first, last + 1, step)) <= _MOST:
        raise ChoiceError(f"frame sizes {text!r}: give a range of 1 to {_MOST} sizes, such as 64-1518/128")
    try:
        return tuple(str(FrameSize.parse(size).bytes) for size in range(first, last + 1, step))
    except UnitError as problem:
        raise ChoiceError(f"frame sizes {text!r}: {problem}") from None


def name_of_test(size: str) -> str:
    """The name of the test of a frame size: `64 Bytes`, `IMIX`."""
    return "IMIX" if size == _IMIX else f"{size} Bytes"


def sizes_of_tests(names: Iterable[str]) -> tuple[int, ...]:
    """The frame sizes that tests are named after, each once, the smallest first."""
    return tuple(sorted({int(row[1]) for name in names if (row := _ROW.fullmatch(name))}))


class FrameSizeTests(SuiteVisitor):
    """A modifier of Robot's that adds tests of frame sizes to suites that have rows such as `64 Bytes`.

    | robot --prerunmodifier TesterLibrary.FrameSizeTests:9018:imix suites/rfc2544/throughput.robot

    A test that is added does what the first of the rows does, with its size in place of theirs, also where a
    bound is read: `${CRITERIA.throughput}[9018]`.
    """

    def __init__(self, *sizes: str) -> None:
        self._sizes = tuple(size for text in sizes for size in frame_sizes(text))

    def start_suite(self, suite: Any) -> None:
        """Adds tests to a suite that has rows."""
        pattern = next((test for test in suite.tests if _ROW.fullmatch(test.name)), None)
        if pattern is None:
            return
        names = {test.name for test in suite.tests}
        sizes = (size for size in self._sizes if name_of_test(size) not in names)
        suite.tests.extend(_of_size(pattern, size) for size in sizes)


def _of_size(pattern: Any, size: str) -> Any:
    (own,) = sizes_of_tests([pattern.name])
    test = pattern.deepcopy(name=name_of_test(size))
    for call in test.body:
        call.args = tuple(
            size if value == str(own) else str(value).replace(f"[{own}]", f"[{size}]") for value in call.args
        )
    return test
