# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Writes what a switch is planned to do, and what the Norma paper found, into the tables of docs/norma.md."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from TesterLibrary.errors import PlanError  # noqa: E402
from TesterLibrary.files.job import load_job  # noqa: E402
from TesterLibrary.model.pattern import Pattern  # noqa: E402
from TesterLibrary.model.ports import Port  # noqa: E402
from TesterLibrary.model.units.units import LINE_OVERHEAD, Bandwidth  # noqa: E402
from TesterLibrary.planning.prediction import predict  # noqa: E402
from TesterLibrary.planning.switch.allocation import LoopbackFlow, LoopbackPorts, allocate  # noqa: E402
from TesterLibrary.planning.switch.chip import CHIPS, TOFINO, TOFINO_2  # noqa: E402
from TesterLibrary.planning.switch.loops import end_loops, template_packets  # noqa: E402
from TesterLibrary.planning.switch.match_action import MatchAction, match_action  # noqa: E402
from TesterLibrary.planning.switch.prediction import SwitchPrediction  # noqa: E402
from TesterLibrary.protocols.checker import load_protocol  # noqa: E402

PAGE = ROOT / "docs" / "norma.md"
_TABLE = re.compile(r"(<!-- (\w+): begin -->\n).*?(<!-- \2: end -->\n)", re.DOTALL)
_HEADERS = 14 + 20 + 20 + 4  # bytes of Ethernet, IPv4, TCP and FCS
_CHIPS = {  # by their name in the tables: pipelines that loop, and the speed of a port of the front panel
    "Tofino, 4 pipes": (LoopbackPorts(), TOFINO.port_bps),
    "Tofino, 2 pipes": (LoopbackPorts(pipelines=1), TOFINO.port_bps),
    "Tofino 2, 4 pipes": (
        LoopbackPorts(
            ports=TOFINO_2.connectors, port_bps=TOFINO_2.port_bps, pipeline_pps=TOFINO_2.pipeline_pps
        ),
        TOFINO_2.port_bps,
    ),
}
# Of the paper: table 3, errors of several stages and of the meter alone, by bytes and Gbps.
_ERRORS = {
    (64, "0.1"): ("6e-06", "3e-03"),
    (64, "1"): ("9e-07", "2e-03"),
    (64, "10"): ("8e-08", "4e-03"),
    (64, "20"): ("5e-08", "4e-03"),
    (64, "40"): ("3e-08", "4e-03"),
    (64, "60"): ("5e-05", "3e-03"),
    (64, "80"): ("2e-04", "4e-03"),
    (1518, "0.1"): ("2e-05", "1e-03"),
    (1518, "1"): ("4e-06", "5e-04"),
    (1518, "10"): ("1e-06", "3e-03"),
    (1518, "20"): ("4e-08", "3e-03"),
    (1518, "40"): ("2e-07", "3e-03"),
    (1518, "60"): ("2e-06", "8e-04"),
    (1518, "80"): ("1e-07", "3e-03"),
}
# Of the paper, section 9.1, in Tbps: expected of UDP and of TCP PUSH by bytes of a frame, and of HTTP.
_UDP = {64: "≥ 1.6", 128: "≥ 1.6", 256: "3.2", 512: "3.2", 1518: "3.2", 9100: "3.2"}
_PUSH = {128: "1.6, reached less", 256: "2.4, reached less", 512: "2.6", 1024: "2.8", 1518: "3.0"}
_HTTP = "1.0, reached 0.95"


def page(text: str) -> str:
    """The page with all tables as they are now."""
    return _TABLE.sub(lambda found: found[1] + _TABLES[found[2]]() + found[3], text)


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [head, ["---"] + ["--:"] * (len(head) - 1), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def _rates() -> str:
    def rows() -> Iterator[list[str]]:
        for prediction in predict(load_job("norma-rates"), "tofino"):
            size, gbps = re.fullmatch(r"(\d+) at ([\d.]+) Gbps", prediction.stream.name).groups()  # type: ignore[union-attr]
            several, alone = _ERRORS[int(size), gbps]
            assert isinstance(prediction, SwitchPrediction)
            staging = prediction.placed.staging
            ours = [_error(prediction.error), _error(staging.meter_error)]
            stages = ", ".join(map(str, staging.stages))
            yield [f"{gbps} Gbps of {size}", several, alone, *ours, stages, str(prediction.placed.templates)]

    head = ["rate, bytes", "paper", "its meter", "planned", "meter alone", "stages", "template packets"]
    return _table(head, rows())


def _bursts() -> str:
    def rows() -> Iterator[list[str]]:
        for prediction in predict(load_job("norma-bursts"), "tofino"):
            assert isinstance(prediction, SwitchPrediction)
            staging, pattern = prediction.placed.staging, prediction.stream.shaping
            assert isinstance(pattern, Pattern)
            exact = "exact" if staging.stages[-1:] == pattern.stages else "not exact"
            peak = f"{float(staging.peak / staging.rate):.6f} ×"
            planned = f"{staging.stages[-1]}, {exact}"
            yield [
                prediction.stream.name,
                f"{pattern.stages[0].passes:,} at 2.5 ×",
                planned,
                peak,
                _error(prediction.error),
            ]

    return _table(["burst", "asked", "planned", "peak / average", "error of the average"], rows())


def _throughput() -> str:
    def rows() -> Iterator[list[str]]:
        for size, paper in _UDP.items():
            yield [f"UDP, {size}", paper, *(_udp(size, *chip) for chip in _CHIPS.values())]
        for size, paper in _PUSH.items():
            program = _program("push", "push", size - _HEADERS)
            yield [f"TCP PUSH, {size}", paper, *(_answers(program, *chip) for chip in _CHIPS.values())]
        program = _program("http-get", "content", 1024)
        yield ["HTTP, content of 1024", _HTTP, *(_answers(program, *chip) for chip in _CHIPS.values())]

    return _table(["frames, bytes", "paper, Tbps", *_CHIPS], rows())


def _stages() -> str:
    def rows() -> Iterator[list[str]]:
        for profile in dict.fromkeys(chip.profile for chip in CHIPS.values()):
            report = json.loads((ROOT / "p4" / "build" / profile / "resources.json").read_text())
            most = report["chip"]["stages"]
            for use in report["uses"]:
                yield [f"{profile}, {use['pipeline']} {use['gress']}", f"{use['stages']} of {most}"]

    return _table(["program", "stages"], rows())


def _templates() -> str:
    sizes = (64, 128, 256, 512, 1024, 1500)
    paper = {64: "120", 1500: "10"}
    return _table(
        ["bytes", *map(str, sizes)],
        [["paper", *(paper.get(size, "") for size in sizes)], ["planned", *map(template_packets, sizes)]],
    )


_TABLES: dict[str, Callable[[], str]] = {
    "rates": _rates,
    "bursts": _bursts,
    "throughput": _throughput,
    "stages": _stages,
    "templates": _templates,
}


def _error(value: Fraction) -> str:
    return f"{abs(float(value)):.0e}" if value else "none"


def _program(name: str, template: str, payload: int) -> MatchAction:
    """The program of a shipped protocol with so many bytes of payload in one of its templates."""
    protocol = load_protocol(name)
    templates = tuple(
        replace(known, payload=bytes(payload), body=None) if known.name == template else known
        for known in protocol.templates
    )
    return match_action(replace(protocol, templates=templates))


def _udp(size: int, chip: LoopbackPorts, port_bps: int) -> str:
    """All ports of the front panel send their neighbours as much of line rate as finds a place."""
    line = Fraction(port_bps, 8 * (size + LINE_OVERHEAD))

    def fits(part: int) -> bool:
        flow = partial(LoopbackFlow, bps=port_bps * part // 100, pps=int(line * part / 100))
        return _fits([flow(str(number)) for number in range(chip.all_ports)], chip)

    part = next(part for part in range(100, 0, -1) if fits(part))
    return f"{_tbps(chip.all_ports * port_bps * Fraction(part, 100))} ({part} % of {chip.all_ports} ports)"


def _answers(program: MatchAction, chip: LoopbackPorts, port_bps: int) -> str:
    """As many ports as find a place for the loops of their answers, at line rate."""
    port = Port("p", Bandwidth(port_bps), b"\2\0\0\0\0\1", 9216)

    def fits(ports: int) -> bool:
        loops = (loop for number in range(ports) for loop in end_loops(str(number), program, port))
        return _fits([loop.flow for loop in loops], chip)

    ports = next(ports for ports in range(chip.all_ports, -1, -1) if fits(ports))
    return f"{_tbps(Fraction(ports * port_bps))} ({ports} ports)"


def _fits(flows: Sequence[LoopbackFlow], chip: LoopbackPorts) -> bool:
    try:
        allocate(flows, chip)
    except PlanError:
        return False
    return True


def _tbps(bps: Fraction) -> str:
    return f"{float(bps) / 10**12:.2f}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text()))
