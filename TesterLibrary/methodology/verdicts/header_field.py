# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts on a header field of a stream: of all its frames, or of those that were captured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...measurement.snapshot import FieldCounters
from ...measurement.trial import Trial
from ...model.expected_field import ExpectedField, FieldRelation
from ...verdict import AT_MOST, Verdict, assess
from .judging import doubt_of

_SHOWN = 3  # different values that a verdict names


@dataclass(frozen=True)
class CapturedField:
    """The field in one frame that arrived."""

    sequence: int | None  # the number of the frame in its stream
    arrived: int | None  # None: the frame has no such header
    sent: int | None = None  # None: its departure was not captured, or the frame left without such a header


def judge_header_field(
    frames: Sequence[CapturedField],
    expected: ExpectedField,
    relation: FieldRelation,
    *,
    subject: str,
    missing: int = 0,
    shown: Callable[[int], str] = "{:,}".format,
    loses_header: str = "",
) -> Verdict:
    """Whether the field of each captured frame is as expected. A frame without the header never is.

    FAIL where one frame is not. INCONCLUSIVE where the value of a frame could not be compared, and those of
    the others are as expected.

    Args:
        frames: Those that arrived, of one stream.
        expected: What each is to be.
        relation: The same in numbers of the field.
        subject: The name of the field.
        missing: Frames that the capture had no room for.
        shown: A value of the field as people read it.
        loses_header: Why such a header of a frame may have been lost behind the device; empty if none was.
    """
    known = [frame for frame in frames if frame.sent is not None or not relation.of_sent]
    wrong = [
        frame for frame in known if frame.arrived is None or not relation.holds(frame.arrived, frame.sent)
    ]
    doubt = ""
    if loses_header:
        doubt = loses_header
    elif not frames:
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
        bound=f"{expected.comparison} {expected.text}",
        doubt=doubt,
    )


def judge_all_frames(
    trials: Sequence[Trial],
    stream: str,
    expected: ExpectedField,
    *,
    shown: Callable[[int], str] = "{:,}".format,
    loses_header: str = "",
) -> Verdict:
    """Whether the field of each frame of a stream that arrived whole in trials was as expected.

    FAIL where one frame was not, in a trial in which the tester did its part. INCONCLUSIVE where a trial is
    invalid, did not compare the field or received nothing, or where nobody knows with which value a frame
    was sent, and all others are as expected. So is all where `loses_header` says why such a header of a frame
    may have been lost behind the device: another one may stand in its place.
    """
    counted = [_counts(trial, stream, expected) for trial in trials if trial.valid]
    known = [counts for counts in counted if counts]
    compared, wrong = sum(c.compared for c in known), sum(c.wrong for c in known)
    unknown = sum(c.unknown for c in known)
    doubt = loses_header or ("" if wrong else doubt_of(trials))
    if not doubt and len(known) < len(counted):
        doubt = f"{expected} was not compared while {stream} was sent; `Set Expected Field` before sending"
    elif not doubt and not wrong:
        doubt = _uncompared(stream, compared, unknown)
    return assess(
        wrong if compared else None,
        AT_MOST,
        0,
        subject=f"{expected.path} of {stream}",
        measured=_counted(known, compared, wrong, shown),
        bound=f"{expected.comparison} {expected.text}",
        doubt=doubt,
    )


def _uncompared(stream: str, compared: int, unknown: int) -> str:
    """Why not all frames of a stream were compared; empty if they were."""
    if unknown:
        return (
            f"{unknown:,} frames were not compared: {stream} was given other frames while it was sending, "
            "and nobody knows with which value they were sent"
        )
    return "" if compared else f"no frame of {stream} arrived"


def _counts(trial: Trial, stream: str, expected: ExpectedField) -> FieldCounters | None:
    counters = trial.stream(stream).counters
    return next((field for field in counters.fields if field.name == str(expected)), None)


def _counted(known: Sequence[FieldCounters], compared: int, wrong: int, shown: Callable[[int], str]) -> str:
    """The values that were not as expected, with how many frames were looked at."""
    if not compared:
        return "unknown"
    if not wrong:
        return f"as expected in all {compared:,} frames"
    examples = [example for counts in known for example in counts.examples]
    frames: dict[str, int] = {}
    for example in examples:
        text = _text(CapturedField(None, example.arrived, example.sent), shown)
        frames[text] = frames.get(text, 0) + example.frames
    others = wrong - sum(frames.values())
    parts = [f"{text} in {count:,}" for text, count in frames.items()]
    parts += [f"other values in {others:,}"] if others else []
    first = next(counts.first_sequence for counts in known if counts.wrong)
    return f"{', '.join(parts)} of {compared:,} frames, first in frame {first:,}"


def _measured(
    known: Sequence[CapturedField], wrong: Sequence[CapturedField], shown: Callable[[int], str]
) -> str:
    """The values of the frames, or of those that are not as expected, with how many frames were looked at."""
    if not known:
        return "unknown"
    told = wrong or known
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
