# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames as columns are the same frames, whatever is taken of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.measurement.capture import CapturedFrame, Fate, TracedFrame
from TesterLibrary.measurement.captured_frames import CapturedFrames, frames_of

TRACED = st.builds(
    TracedFrame,
    left_ns=st.none() | st.integers(1, 2**63 - 1),
    events=st.lists(st.integers(0, 2**16 - 2), max_size=4).map(tuple),
    fate=st.sampled_from(Fate),
)


def frames(traced: st.SearchStrategy[TracedFrame | None]) -> st.SearchStrategy[list[CapturedFrame]]:
    return st.lists(
        st.builds(
            CapturedFrame,
            time_ns=st.integers(0, 2**62),
            port=st.sampled_from(["p1", "p2", "außen"]),
            transmitted=st.booleans(),
            stream_id=st.integers(0, 2**16 - 1),
            sequence=st.none() | st.integers(0, 2**62),
            original_length=st.integers(0, 2**31 - 1),
            octets=st.binary(max_size=70),
            traced=traced,
        )
    )


FRAMES = frames(st.none())


@given(FRAMES)
def test_columns_have_the_frames(made: list[CapturedFrame]) -> None:
    assert list(CapturedFrames.of(made)) == made
    assert list(frames_of(CapturedFrames.of([frame]) for frame in made)) == made


@given(frames(TRACED))
def test_columns_have_what_became_of_the_frames_of_a_trace(made: list[CapturedFrame]) -> None:
    assert list(CapturedFrames.of(made)) == made


@given(FRAMES, st.data())
def test_a_part_has_some_of_them(made: list[CapturedFrame], data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.booleans(), min_size=len(made), max_size=len(made)))
    part = CapturedFrames.of(made).part(np.array(chosen, bool))
    assert list(part) == [frame for frame, is_one in zip(made, chosen, strict=True) if is_one]
    ids = data.draw(st.lists(st.sampled_from([frame.stream_id for frame in made] or [0])))
    assert list(CapturedFrames.of(made).of_streams(ids)) == [f for f in made if f.stream_id in ids]


@given(FRAMES, st.integers(0, 10).map(lambda words: 4 * words))
def test_cut_frames_have_their_begins(made: list[CapturedFrame], octets: int) -> None:
    cut = CapturedFrames.of(made).cut(octets)
    assert list(cut) == [replace(frame, octets=frame.octets[:octets]) for frame in made]


@given(FRAMES)
def test_each_port_has_its_frames(made: list[CapturedFrame]) -> None:
    batch = CapturedFrames.of(made)
    assert dict(zip(batch.ports, batch.of_port, strict=True)) == {
        port: sum(frame.port == port for frame in made) for port in {frame.port for frame in made}
    }
