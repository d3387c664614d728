# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from pathlib import Path

import pytest

from TesterLibrary import TesterLibrary
from TesterLibrary.errors import Inconclusive, PlanError, TesterLibraryError, VerdictFailed
from TesterLibrary.methodology.congestion import CongestionResult
from TesterLibrary.methodology.errored_frames import ErroredResult, FrameError
from TesterLibrary.methodology.forwarding_rate import ForwardingResult
from TesterLibrary.model.port_pattern import PortPattern
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.model.units.units import Duration, FrameSize, Rate, Ratio
from TesterLibrary.reporting.record.records import read
from TesterLibrary.targets.fake import fake_port

from .fake_library import library_on_fake

SECOND = Duration(10**9)


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TesterLibrary:
    ports = [fake_port(f"p{number}", link_speed_bps=10**9) for number in range(1, 5)]
    library = library_on_fake(monkeypatch, tmp_path, ports=ports, capacity=100_000)
    library.open_tester()
    library.suite.recorder = library.suite.tester.recorder  # of results, where trials are
    return library


def test_a_pattern_is_one_name_for_its_streams(library: TesterLibrary) -> None:
    name = library.create_streams_over_ports("mesh", frame_size=FrameSize(512), rate=Rate.parse("30 %"))
    trial = library.measure_loss(name, duration=SECOND)
    assert [stream.name for stream in trial.streams][:4] == [
        "mesh p1-p2",
        "mesh p1-p3",
        "mesh p1-p4",
        "mesh p2-p3",
    ]
    assert (len(trial.streams), trial.load, trial.lost) == (12, Rate.parse("30 %").value, 0)
    assert trial.title == "mesh p1-p2 … mesh p4-p3 (12 streams), 512 bytes"


def test_a_pattern_and_a_stream_have_different_names(library: TesterLibrary) -> None:
    library.create_stream("north")
    with pytest.raises(TesterLibraryError, match="'north' is a stream; give the pattern another name"):
        library.create_streams_over_ports("north", pattern=PortPattern.PAIRS)
    with pytest.raises(PlanError, match="stream 'all': pattern pairs needs an even number of ports"):
        library.create_streams_over_ports("all", "p1", "p2", "p3", pattern=PortPattern.PAIRS)
    assert list(library.suite.streams) == ["north"]


def test_forwarding_rates_are_measured_and_come_back_from_the_records(
    library: TesterLibrary, tmp_path: Path
) -> None:
    """Each of 4 paths forwards 100,000 frames/s of 1,488,095 that the line carries."""
    pairs = library.create_streams_over_ports("pairs", pattern=PortPattern.PAIRS)
    result = library.sweep_forwarding_rate(pairs, step=Ratio.parse("40 %"), duration=SECOND)
    assert result.rate_at_maximum_load == pytest.approx(400_000, rel=0.01)
    library.verify_forwarding_rate_at_maximum_load_above(Rate.parse("390 kpps"))
    library.verify_maximum_forwarding_rate_above(Rate.parse("410 kpps"), within=Ratio.parse("5 %"))
    assert _back(tmp_path, ForwardingResult) == result


def test_congestion_is_measured_and_comes_back_from_the_records(
    library: TesterLibrary, tmp_path: Path
) -> None:
    """Frames to the uncongested port are lost already without congestion: the path is too slow."""
    result = library.measure_congestion(duration=SECOND)
    with pytest.raises(Inconclusive, match="were lost without congestion, too"):
        library.verify_no_head_of_line_blocking(result)
    assert result.head_of_line_blocking is None
    assert _back(tmp_path, CongestionResult) == result


def test_senders_of_congestion_are_written_as_the_ports_of_a_path(library: TesterLibrary) -> None:
    with pytest.raises(PlanError, match=r"given were p2, p1, p3, p1$"):
        library.measure_congestion(senders="p2, p1", congested="p1")
    with pytest.raises(PlanError, match=r"senders=p1: give two ports, such as p1,p2$"):
        library.measure_congestion(senders="p1")


def test_congestion_takes_four_ports(library: TesterLibrary) -> None:
    with pytest.raises(PlanError, match="needs four different ports; given were p1, p2, p3, p1"):
        library.measure_congestion(congested="p1")


def test_a_device_that_floods_nothing_tells_nothing_of_its_table(library: TesterLibrary) -> None:
    capacity = library.find_address_capacity(lowest=1, highest=4, ageing=SECOND)
    assert (capacity.passed, capacity.failed, capacity.floods) == (4, None, False)
    with pytest.raises(Inconclusive, match="nobody sees what it knows"):
        library.verify_address_capacity_above(2, capacity)
    rate = library.find_address_learning_rate(addresses=50, highest=Frequency.parse("2 k/s"), ageing=SECOND)
    with pytest.raises(Inconclusive, match="nobody sees what it knows"):
        library.verify_address_learning_rate_above(Frequency.parse("1 k/s"), rate)


def test_a_broadcast_that_reaches_one_port_only_is_lost(library: TesterLibrary) -> None:
    name = library.create_broadcast_stream("all", "p1", "p3", "p2", "p4", rate=Rate.parse("1 %"))
    trial = library.measure_loss(name, duration=SECOND)
    (stream,) = trial.streams
    assert (stream.rx_port, stream.copies, trial.received) == ("p3", ("p2", "p4"), trial.sent)
    assert (trial.loss, stream.broadcast.missing) == (1, 2 * trial.sent)
    with pytest.raises(VerdictFailed, match="copies of frames of all missed p2, p4"):
        library.verify_loss_below(Ratio.parse("50 %"), trial)


def test_broadcasts_go_to_other_ports(library: TesterLibrary) -> None:
    with pytest.raises(PlanError, match="give two or more ports, not p1"):
        library.create_broadcast_stream("all", "p1")
    with pytest.raises(PlanError, match="copies are expected at 'p1', which is no port besides p1 and p2"):
        library.create_broadcast_stream("all", "p1", "p2", "p1")


def test_oversize_frames_that_are_forwarded_fail(library: TesterLibrary, tmp_path: Path) -> None:
    result = library.measure_errored_frames(load=Ratio.parse("1 %"), duration=SECOND)
    assert [trial.streams[0].frame_size for trial in result.trials] == [1518, 1519, 1518]
    with pytest.raises(VerdictFailed, match="oversize frames forwarded of oversize, 1519 bytes"):
        library.verify_errored_frames_filtered(result)
    assert _back(tmp_path, ErroredResult) == result


def test_errored_frames_that_nobody_sends_are_refused(library: TesterLibrary) -> None:
    with pytest.raises(PlanError, match=r"^crc: no port of this tester sends frames with a bad FCS"):
        library.measure_errored_frames(FrameError.CRC)
    with pytest.raises(
        PlanError, match="oversize=1500 bytes is no longer than the longest legal frame, 1518 bytes"
    ):
        library.measure_errored_frames(oversize=FrameSize(1500))


def test_each_verdict_refuses_results_of_another_kind(library: TesterLibrary) -> None:
    trial = library.measure_loss(library.create_stream("north"), duration=SECOND)
    for verify, arguments in (
        (library.verify_maximum_forwarding_rate_above, (Rate.parse("1 kpps"), trial)),
        (library.verify_no_head_of_line_blocking, (trial,)),
        (library.verify_errored_frames_filtered, (trial,)),
        (library.verify_address_capacity_above, (9, trial)),
        (library.verify_address_learning_rate_above, (Frequency.parse("9/s"), trial)),
    ):
        with pytest.raises(TesterLibraryError, match="this is no result of"):
            verify(*arguments)


@pytest.mark.parametrize(
    ("learn", "test", "message"),
    [
        ("p9", "p2", "'p9' is no port of this tester; it has p1, p2"),
        ("p2", "p2", "learn and test are both 'p2'; give two ports"),
        ("p1", "p2", "flooded frames are seen at a third port .* and this testbed has 2: p1, p2"),
    ],
)
def test_ports_on_which_no_table_can_be_measured_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, learn: str, test: str, message: str
) -> None:
    library = library_on_fake(monkeypatch, tmp_path)
    library.open_tester()
    with pytest.raises(PlanError, match=message):
        library.find_address_capacity(learn=learn, test=test)


def _back(folder: Path, kind: type) -> object:
    """The last result of this kind, as the records have it."""
    found = [record.result for record in read(folder).results]
    return next(result for result in reversed(found) if isinstance(result, kind))
