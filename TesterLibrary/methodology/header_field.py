# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A verdict on a header field of all frames of a stream that were captured."""

from __future__ import annotations

import operator as functions
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assertionengine import AssertionOperator

from ..errors import TesterLibraryError
from ..verdict import AT_MOST, Verdict, assess

_COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "==": functions.eq,
    "!=": functions.ne,
    "<": functions.lt,
    "<=": functions.le,
    ">": functions.gt,
    ">=": functions.ge,
}
_SHOWN = 3  # different values that a verdict names
_OF_SENT = re.compile(r"\s*sent\s*(?:([-+])\s*([0-9]+))?\s*")


@dataclass(frozen=True)
class ExpectedField:
    """A number, or the value of the field as the frame was sent, and so much more."""

    text: str  # as the suite wrote it
    of_sent: bool
    number: int  # what is expected; of a sent value, how much more than it

    @classmethod
    def parse(cls, text: str, number: Callable[[str], int]) -> ExpectedField:
        """`sent`, `sent - 1`, or what `number` reads."""
        if found := _OF_SENT.fullmatch(text):
            return cls(text, True, int(f"{found[1] or ''}{found[2] or 0}"))
        return cls(text, False, number(text))

    def of(self, sent: int | None) -> int | None:
        """The value that is expected in a frame; None where nobody knows what was sent."""
        if not self.of_sent:
            return self.number
        return None if sent is None else sent + self.number


@dataclass(frozen=True)
class CapturedField:
    """The field in one frame that arrived."""

    sequence: int | None  # the number of the frame in its stream
    arrived: int | None  # None: the frame has no such header
    sent: int | None = None  # None: its departure was not captured, or the frame left without such a header


def judge_header_field(
    frames: Sequence[CapturedField],
    operator: AssertionOperator,
    expected: ExpectedField,
    *,
    subject: str,
    missing: int = 0,
    shown: Callable[[int], str] = "{:,}".format,
) -> Verdict:
    """Whether the field of each frame is as expected. A frame without the header never is.

    FAIL where one frame is not. INCONCLUSIVE where the value of a frame could not be compared, and those of
    the others are as expected.

    Args:
        frames: Those that arrived, of one stream.
        operator: A comparison.
        expected: What each is compared with.
        subject: The name of the field.
        missing: Frames that the capture had no room for.
        shown: A value of the field as people read it.

    Raises:
        TesterLibraryError: the operator compares texts.
    """
    holds = _COMPARISONS.get(operator.value)
    if holds is None:
        raise TesterLibraryError(
            f"{subject}: '{operator.value}' does not compare numbers; write one of {', '.join(_COMPARISONS)}"
        )
    known = [(frame, limit) for frame in frames if (limit := expected.of(frame.sent)) is not None]
    wrong = [frame for frame, limit in known if frame.arrived is None or not holds(frame.arrived, limit)]
    doubt = ""
    if not frames:
        doubt = "no frame that arrived was captured, or none with this header"
    elif not known:
        doubt = "the departure of no frame was captured; capture both directions"
    elif not wrong and missing:
        doubt = f"{missing:,} more frames found no room in the capture; give it room for all, or send fewer"
    elif not wrong and len(known) < len(frames):
        doubt = f"the departures of {len(frames) - len(known):,} of {len(frames):,} frames were not captured"
    return assess(
        len(wrong) if known else None,
        AT_MOST,
        0,
        subject=subject,
        measured=_measured(known, wrong, shown),
        bound=f"{operator.value} {expected.text}",
        doubt=doubt,
    )


def _measured(
    known: Sequence[tuple[CapturedField, int]], wrong: Sequence[CapturedField], shown: Callable[[int], str]
) -> str:
    """The values of the frames, or of those that are not as expected, with how many frames were looked at."""
    if not known:
        return "unknown"
    told = wrong or [frame for frame, _ in known]
    values = list(dict.fromkeys(_text(frame, shown) for frame in told))
    text = " or ".join(values[:_SHOWN]) + (
        f" or {len(values) - _SHOWN:,} other values" if values[_SHOWN:] else ""
    )
    first = wrong[0].sequence if wrong else None
    number = f" from frame {first:,} on" if first is not None else ""
    return f"{text} in {len(told):,} of {len(known):,} captured frames{number}"


def _text(frame: CapturedField, shown: Callable[[int], str]) -> str:
    value = "absent" if frame.arrived is None else shown(frame.arrived)
    return value if frame.sent is None else f"{value} (sent {shown(frame.sent)})"
