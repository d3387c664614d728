# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Burst sizes and colours of services, on a simulated policer and on testers that have none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from TesterLibrary import TesterLibrary
from TesterLibrary.errors import Inconclusive, PlanError, TesterLibraryError, VerdictFailed
from TesterLibrary.methodology.services.service_burst import BurstSizeResult
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.query import PacketFilter
from TesterLibrary.model.units.quantity import Octets
from TesterLibrary.model.units.units import Duration, FrameSize, Rate, Ratio
from TesterLibrary.reporting.record.records import read

from ..fake_library import library_on_fake

GREEN = PacketFilter.parse("IP.tos == 0x28")


def library_on(tester: str, directory: Path, monkeypatch: pytest.MonkeyPatch) -> TesterLibrary:
    """A library on the fake tester, or on a testbed of that name."""
    return library_on_fake(monkeypatch, directory) if tester == "fake" else TesterLibrary(testbed=tester)


@contextmanager
def opened(library: TesterLibrary) -> Iterator[TesterLibrary]:
    library.open_tester()
    try:
        for name in ("video", "excess"):
            library.create_stream(
                name,
                rate=Rate.parse("4 Mbps"),
                frame_size=FrameSize(512),
                headers=HeaderStack.parse("Ether / IP / UDP"),
            )
        yield library
    finally:
        library.close_tester()


def test_the_bucket_of_a_simulated_policer_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """5,000 bytes, which 4 of 10 Mbps fill while a burst is sent."""
    monkeypatch.chdir(tmp_path)
    with opened(TesterLibrary(testbed="simulated/policing")) as library:
        library.suite.recorder = library.suite.tester.recorder
        for search in (
            lambda: library.find_committed_burst_size("video"),
            lambda: library.find_excess_burst_size("video", Rate.parse("4 Mbps"), yellow="excess"),
        ):
            result = search()
            assert result.below is not None
            assert result.at_least.count <= 5000 < result.below.count
            assert result.below.count - result.at_least.count <= 512
            library.verify_burst_size_above(Octets(5000), within=Ratio.parse("10 %"))
            library.verify_burst_size_below(Octets(5000), within=Ratio.parse("10 %"))
            for verify, bound in (
                (library.verify_burst_size_above, 6000),
                (library.verify_burst_size_below, 4000),
            ):
                with pytest.raises(
                    VerdictFailed, match=r"(CBS|EBS) of (video|excess), 512 bytes is 5,000 to 5,"
                ):
                    verify(Octets(bound))
        directory = library.suite.recorder.directory
    found = [record.result for record in read(directory).results]
    assert [each for each in found if isinstance(each, BurstSizeResult)][-1] == result


@pytest.mark.parametrize("tester", ["fake", "tofino-fake"])
def test_a_device_without_a_policer_is_limited_by_the_search(
    tester: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with opened(library_on(tester, tmp_path, monkeypatch)) as library:
        result = library.find_committed_burst_size("video", longest=Octets(4096))
        assert (result.passed, result.failed) == (8, None)
        library.verify_burst_size_above(Octets(2048))
        with pytest.raises(Inconclusive, match="the longest burst that was tried passed, 8 frames"):
            library.verify_burst_size_below(Octets(8192))


def test_a_switch_tells_colours_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its queries, whose streams are loaded and unloaded for each trial."""
    monkeypatch.chdir(tmp_path)
    with opened(library_on("tofino-fake", tmp_path, monkeypatch)) as library:
        plain = PacketFilter.parse("IP.tos == 0")
        result = library.find_committed_burst_size("video", longest=Octets(4096), arrives_green=plain)
        assert (result.passed, result.failed) == (8, None)
        library.find_committed_burst_size("video", longest=Octets(4096), arrives_green=GREEN)
        with pytest.raises(VerdictFailed, match="CBS of video, 512 bytes is 0 to 511 bytes"):
            library.verify_burst_size_above(Octets(2048))


@pytest.mark.parametrize("tester", ["fake", "simulated/policing"])
def test_colours_are_refused_by_testers_without_queries(
    tester: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with opened(library_on(tester, tmp_path, monkeypatch)) as library:
        trials = library.suite.tester.evidence.trials
        for colours in (
            lambda: library.find_committed_burst_size("video", arrives_green=GREEN),
            lambda: library.find_excess_burst_size("video", Rate.parse("1 Mbps"), arrives_yellow=GREEN),
            lambda: library.sweep_service_configuration(
                "video", duration=Duration(10**8), arrives_green=GREEN, arrives_yellow=GREEN
            ),
        ):
            with pytest.raises(PlanError, match=r"a (fake|simulated) tester does not count packets by keys"):
                colours()
        assert library.suite.tester.evidence.trials == trials


def test_what_makes_no_sense_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(library_on_fake(monkeypatch, tmp_path)) as library:
        eir = Rate.parse("1 Mbps")
        for both in ({}, {"yellow": "excess", "arrives_yellow": GREEN}):
            with pytest.raises(
                PlanError, match=r"EBS of service 'video': give either yellow=, .* or arrives_yellow="
            ):
                library.find_excess_burst_size("video", eir, **both)  # type: ignore[arg-type]
        with pytest.raises(PlanError, match="'video': arrives_green= needs arrives_yellow= as well"):
            library.sweep_service_configuration("video", arrives_green=GREEN)
        with pytest.raises(PlanError, match="the longest burst, 100 bytes, holds no frame of 512 bytes"):
            library.find_committed_burst_size("video", longest=Octets(100))
        with pytest.raises(TesterLibraryError, match="there is no stream 'voice'; there are video, excess"):
            library.find_committed_burst_size("voice")
        library.measure_loss("video", duration=Duration(10**8))
        with pytest.raises(
            TesterLibraryError, match="this is no result of Find Committed Burst Size or Find Excess"
        ):
            library.verify_burst_size_above(Octets(1))
