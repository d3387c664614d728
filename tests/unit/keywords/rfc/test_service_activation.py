# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for service activation, on a fake tester and on a simulated policer."""

from __future__ import annotations

from pathlib import Path

import pytest

from TesterLibrary import TesterLibrary
from TesterLibrary.errors import PlanError, TesterLibraryError, VerdictFailed
from TesterLibrary.methodology.services.service_activation import ConfigurationResult, PerformanceResult
from TesterLibrary.model.units.units import Duration, FrameSize, Rate, Ratio
from TesterLibrary.reporting.record.records import read

from ..fake_library import library_on_fake

SECOND = Duration(10**9)


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TesterLibrary:
    """A path that carries 1,000 frames/s of each port: 4.096 Mbps of 512 bytes."""
    library = library_on_fake(monkeypatch, tmp_path, capacity=1000)
    library.open_tester()
    library.suite.recorder = library.suite.tester.recorder  # of results, where trials are
    return library


def service(library: TesterLibrary, name: str, rate: str) -> None:
    library.create_stream(name, rate=Rate.parse(rate), frame_size=FrameSize(512))


def test_a_configuration_is_measured_and_comes_back_from_the_records(
    library: TesterLibrary, tmp_path: Path
) -> None:
    service(library, "video", "3 Mbps")
    result = library.sweep_service_configuration("video", eir=Rate.parse("1.09 Mbps"), duration=SECOND)
    library.verify_service_configuration(loss=Ratio.parse("0.1 %"))
    assert [str(load.green) for load in result.loads][-2:] == ["4.09 Mbps", "4.3625 Mbps"]
    assert result.received_rates[0] == pytest.approx(750_000, rel=0.01)
    assert _back(tmp_path, ConfigurationResult) == result
    library.sweep_service_configuration("video", eir=Rate.parse("0.8 Mbps"), duration=SECOND)
    with pytest.raises(VerdictFailed, match=r"at CIR . 125 % of EIR is 4 Mbps, required <= 3.8"):
        library.verify_service_configuration(margin=Ratio.parse("1 %"))


def test_the_cir_may_be_written_in_any_unit(library: TesterLibrary) -> None:
    for rate, cir in (("500 pps", "2.048 Mbps"), ("0.1 %", "962.406 kbps")):
        service(library, "video", rate)
        result = library.sweep_service_configuration("video", duration=SECOND)
        assert str(result.service.cir) == cir


def test_what_no_port_carries_is_refused_before_anything_is_sent(library: TesterLibrary) -> None:
    service(library, "video", "900 Mbps")
    trials = library.suite.tester.evidence.trials
    with pytest.raises(PlanError, match=r"service 'video' at 125 % of CIR: .*give policing=False"):
        library.sweep_service_configuration("video")
    assert library.suite.tester.evidence.trials == trials


def test_another_result_is_refused(library: TesterLibrary) -> None:
    service(library, "video", "1 Mbps")
    library.measure_loss("video", duration=SECOND)
    with pytest.raises(TesterLibraryError, match="this is no result of Sweep Service Configuration"):
        library.verify_service_configuration()
    with pytest.raises(TesterLibraryError, match="this is no result of Measure Service Performance"):
        library.verify_service_performance()


def test_services_perform_together(library: TesterLibrary, tmp_path: Path) -> None:
    service(library, "video", "1 Mbps")
    service(library, "voice", "2 Mbps")
    result = library.measure_service_performance("video", "voice", duration=SECOND)
    library.verify_service_performance(availability=Ratio.parse("100 %"))
    library.verify_service_performance("voice")
    assert [one.service for one in result.seconds] == ["video", "voice"]
    assert _back(tmp_path, PerformanceResult) == result


def _back(folder: Path, kind: type) -> object:
    """The last result of this kind, as the records have it."""
    found = [record.result for record in read(folder).results]
    return next(result for result in reversed(found) if isinstance(result, kind))
