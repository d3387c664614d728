# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Results of which a plot says most: knees, learning curves, outages, intervals, bursts."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from fractions import Fraction
from xml.etree import ElementTree

import pytest

from TesterLibrary.measurement.capture import CapturedFrame
from TesterLibrary.measurement.captured_frames import CapturedFrames
from TesterLibrary.measurement.delays.blind_delay import BlindDelay, Passages
from TesterLibrary.measurement.interval import Interval, StreamInterval
from TesterLibrary.methodology.address_table import find_address_capacity, find_address_learning_rate
from TesterLibrary.methodology.learning import find_capacity
from TesterLibrary.methodology.maximum import Quantity
from TesterLibrary.methodology.outage import OutageResult
from TesterLibrary.methodology.result import Result
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.model.units.units import Duration
from TesterLibrary.reporting.pictures.capture_plot import capture_plot
from TesterLibrary.reporting.pictures.figure import Figure
from TesterLibrary.reporting.pictures.figures import IN_LOG, Setting, figures
from TesterLibrary.reporting.pictures.time_plots import interval_series, outages
from TesterLibrary.reporting.record.record_place import RecordPlace
from TesterLibrary.reporting.record.records import ResultRecord
from tests.unit.methodology.switching import LearningSwitch
from tests.unit.methodology.test_learning import Device as Cache
from tests.unit.methodology.test_maximum import Device, found

from .simulated import SimulatedBench

SECOND = Duration(10**9)


def texts(svg: str) -> set[str]:
    """All words of a picture, which other programs read, too."""
    parts = ElementTree.fromstring(svg).iter()
    return {"".join(part.itertext()).strip() for part in parts if part.tag.endswith("text")}


def drawn(result: Result) -> tuple[Figure, set[str]]:
    """The figure of a result, and its words."""
    assert type(result) in IN_LOG
    (figure,) = figures([ResultRecord(RecordPlace(), "", result)], Setting({}))
    assert figure.text == str(result)
    return figure, texts(base64.b64decode(figure.source.partition(",")[2]).decode())


@pytest.mark.parametrize(
    ("quantity", "axis"), [(Quantity.RATE, "connections/s"), (Quantity.CONCURRENT, "connections at once")]
)
def test_a_search_of_connections_has_a_knee(quantity: Quantity, axis: str) -> None:
    result = found(Device(5000, quantity), highest=20_000)
    figure, words = drawn(result)
    assert figure.title == f"{quantity.value.capitalize()} of {result.title}"
    assert {f"Asked for, {axis}", f"Reached, {axis}", "as asked", "passed", "did not", "maximum"} <= words


def test_a_device_that_passes_everything_or_nothing_has_one_kind_of_points() -> None:
    assert "did not" not in drawn(found(Device(10**9), highest=200))[1]
    words = drawn(found(Device(0), highest=200))[1]
    assert "passed" not in words
    assert "maximum" not in words


def test_a_search_of_addresses_has_a_learning_curve() -> None:
    words = drawn(find_capacity(Cache(300), "range", 10, 1000))[1]
    assert {"Addresses announced", "Addresses known", "passed", "did not", "maximum"} <= words
    frequency = Frequency(Fraction(1000))
    table = find_address_capacity(LearningSwitch(300), "p1", lowest=1, highest=4096, rate=frequency)
    assert {"Addresses announced", "passed", "did not"} <= drawn(table)[1]
    switch = LearningSwitch(1000, 5000)
    rate = find_address_learning_rate(switch, "p1", addresses=100, lowest=1000, highest=100_000)
    assert "Addresses learned each second" in drawn(rate)[1]


def test_outages_are_bands_in_the_time_of_sending() -> None:
    none, some = outages({"north": (0, 1)}, {}), outages({"north": (0, 1)}, {"north": [(0.3, 0.4)]})
    assert {"north", "sending", "outage", "Time, s"} <= texts(some)
    assert some.count("<path") > none.count("<path")
    trial = SimulatedBench().measure(Fraction(1, 10), SECOND)
    figure, words = drawn(OutageResult("north", (trial,)))
    assert {"north", "Time, s"} <= words
    assert figure.title == "Outage of north"


def interval(number: int, sent: int, received: int) -> Interval:
    """A second in which frames took 10 us."""
    begin = number * 10**9
    left, came = Passages(sent, sent * begin), Passages(received, received * (begin + 10_000))
    stream = StreamInterval("north", sent, received, received * 64, BlindDelay(left, came, 10**9))
    return Interval(number, begin, begin + 10**9, 0, (stream,))


def test_intervals_have_rate_loss_and_delay_and_the_silent_ones_a_band() -> None:
    series = [interval(1, 100, 100), interval(2, 100, 0), interval(3, 100, 50)]
    words = texts(interval_series(series, [(1.5, "reload")]))
    assert {"Frames/s", "Loss, %", "Mean delay, µs", "Time, s", "reload", "nothing received"} <= words
    assert "nothing received" not in texts(interval_series(series[:1]))
    assert interval_series(series) == interval_series(series)


def captured(times: Sequence[int]) -> list[CapturedFrames]:
    frames = [
        CapturedFrame(time, "p1", number % 2 == 0, 1, number // 2, 60, b"")
        for number, time in enumerate(times)
    ]
    return [CapturedFrames.of(frames[:10]), CapturedFrames.of(frames[10:])]


def test_captured_frames_show_the_shape_of_bursts() -> None:
    svg = capture_plot(captured(range(0, 10**9, 10**7)), None)
    assert {"sent", "received", "Frames/s"} <= texts(svg)
    assert not re.search(">lost<", svg)
    assert capture_plot(captured([5] * 30), None) == "", "all at one time"
    assert capture_plot(captured(range(10)), None) == "", "too few"
    assert capture_plot([], None) == ""
