# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A header field of a stream: in all frames of trials, or in a capture, as they left and as they arrived."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import PlanError, TesterLibraryError
from ..measurement.trial import Trial
from ..methodology.result import trials_of
from ..methodology.verdicts.header_field import CapturedField, judge_all_frames, judge_header_field
from ..model.expected_field import ExpectedField, FieldRelation
from ..model.plan.plan import PlannedStream
from ..planning.observed import FieldReader
from ..verdict import Verdict
from .capture import CaptureFile
from .suite import Suite

_TAGS = "VLAN"  # the header of a tag, of either kind
_SIGNATURE = 16  # bytes at the end of a frame that differ in all of them


def judge_field(suite: Suite, name: str, expected: ExpectedField, capture: str | None) -> Verdict:
    """Judges a field over all frames if `Set Expected Field` has said the same, else over those of a capture.

    Raises:
        TesterLibraryError: no capture is named, and another expectation of the field was counted.
    """
    stream = suite.stream(name)
    counted = [field for field in stream.expected_fields if field.path == expected.path]
    if capture is None and expected in counted:
        (planned,) = suite.tester.check([stream]).streams
        loses_tags = suite.tester.lost_tags(planned.rx_port)
        return judge_expected_field(trials_of(suite.judged()), planned, expected, loses_tags=loses_tags)
    if capture is None and counted:
        raise TesterLibraryError(
            f"{expected}: Set Expected Field compares {' and '.join(map(str, counted))} in all frames of "
            f"{name}; verify that, set this one before sending, or name a capture"
        )
    loses_tags = suite.tester.lost_tags(stream.rx)
    return judge_captured_field(suite.captures.stopped(capture), name, expected, loses_tags=loses_tags)


def judge_captured_field(
    captured: CaptureFile, stream: str, expected: ExpectedField, *, loses_tags: str = ""
) -> Verdict:
    """Judges a field of all frames of a stream that a capture has.

    `loses_tags` says why frames may have lost a VLAN tag that the device has left in them.

    Raises:
        PlanError: no captured frame has such a field, or it takes no such value.
    """
    frames, path = captured.of_stream(stream), expected.path
    reader = FieldReader(path, ignored=_SIGNATURE)
    values = [(frame, reader.value(frame.octets)) for frame in frames]
    sample = next((frame.octets for frame, value in values if value is not None), None)
    if sample is None and any(frame.transmitted for frame in frames):
        raise PlanError(f"{path}: no captured frame of {stream}, sent or received, has such a header")
    if sample is None:
        # Whether the device has taken the header away, or the stream never had it, nobody knows.
        values = []
    relation = FieldRelation.read(expected, lambda text: 0 if sample is None else reader.number(sample, text))
    sent = {(frame.stream_id, frame.sequence): value for frame, value in values if frame.transmitted}
    arrived = [
        CapturedField(frame.sequence, value, sent.get((frame.stream_id, frame.sequence)))
        for frame, value in values
        if not frame.transmitted
    ]
    return judge_header_field(
        arrived,
        expected,
        relation,
        subject=f"{path} of {stream}",
        missing=captured.counters.dropped,
        shown=lambda number: f"{number:,}" if sample is None else reader.text(sample, number),
        loses_header=loses_tags if path.header == _TAGS else "",
    )


def judge_expected_field(
    trials: Sequence[Trial], stream: PlannedStream, expected: ExpectedField, *, loses_tags: str = ""
) -> Verdict:
    """Judges a field of all frames of a stream that arrived in trials; `loses_tags` as above."""
    reader = FieldReader(expected.path, ignored=_SIGNATURE)

    def shown(number: int) -> str:
        try:
            return reader.text(stream.frame, number)
        except PlanError:  # a header that Scapy does not find by itself
            return f"{number:,}"

    loses_header = loses_tags if expected.path.header == _TAGS else ""
    return judge_all_frames(trials, stream.name, expected, shown=shown, loses_header=loses_header)
