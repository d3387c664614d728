# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Chooses the loopback port of a switch for each flow of template packets (norma appendix E)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from types import ModuleType

from ...errors import PlanError
from .chip import INTERNAL_PIPES, RECIRCULATION_BPS, TOFINO, Chip
from .meter import TofinoMeter

_TIMEOUT_MS = 10_000


@dataclass(frozen=True)
class LoopbackFlow:
    """Packets that loop: their bits each second on the wire (layer 1), and their packets each second."""

    name: str
    bps: int
    pps: int
    group: str = ""  # flows of a group share registers, so they need one pipeline; empty: no group
    recirculated_bps: int = 0  # of those that leave by the port that recirculates


@dataclass(frozen=True)
class LoopbackPorts:
    """Pipelines with loopback ports. The defaults are for a folded switch of 3.2 Tbps (norma section 2)."""

    pipelines: int = len(INTERNAL_PIPES)
    ports: int = TOFINO.connectors  # per pipeline
    port_bps: int = TOFINO.port_bps
    pipeline_pps: int | None = TOFINO.pipeline_pps  # None: no limit
    meter: TofinoMeter = field(default_factory=TofinoMeter)
    spare: Fraction = Fraction(1, 100)  # part of a port that a slow stream may use to become more even
    slow_pps: int | None = None  # packets each second that one uses at most; None: all of it
    even: Fraction = Fraction(1, 10**6)  # the error of a rate that makes a stream more even

    @classmethod
    def of(cls, chip: Chip) -> LoopbackPorts:
        """Those of a folded switch with this chip."""
        return cls(
            ports=chip.connectors,
            port_bps=chip.port_bps,
            pipeline_pps=chip.pipeline_pps,
            meter=TofinoMeter(chip.clock),
        )

    def spare_pps(self, line: Fraction) -> Fraction:
        """Packets each second that a slow stream may use, where a port carries `line` of them."""
        most = line * self.spare
        return most if self.slow_pps is None else min(most, Fraction(self.slow_pps))

    @property
    def all_ports(self) -> int:
        """The number of loopback ports of all pipelines."""
        return self.pipelines * self.ports


@dataclass(frozen=True, order=True)
class LoopbackPort:
    """A loopback port of the chip; both numbers count from 0."""

    pipeline: int
    port: int

    def __str__(self) -> str:
        return f"{self.pipeline}/{self.port}"


@dataclass(frozen=True)
class Occupied:
    """A flow that loops in a port already."""

    place: LoopbackPort
    flow: LoopbackFlow


def allocate(
    flows: Sequence[LoopbackFlow], chip: LoopbackPorts, occupied: Sequence[Occupied] = ()
) -> Mapping[str, LoopbackPort]:
    """A port for each flow, by name: no port above its bits, no pipeline above its packets, groups together.

    Z3 solves it, in whole Mbps and kpps, as in norma appendix E. Simple sums come first: they are quick and
    their errors are clear. Z3 then checks a guess, which is mostly right, and otherwise searches. Capacity
    that `occupied` takes is not available.

    Raises:
        PlanError: the resource that ran out, and by how much.
    """
    _check([*flows, *(taken.flow for taken in occupied)], chip)
    z3 = _z3()
    mbps, kpps = [-(-flow.bps // 10**6) for flow in flows], [-(-flow.pps // 10**3) for flow in flows]
    port_mbps, pipeline_kpps = chip.port_bps // 10**6, (chip.pipeline_pps or 0) // 10**3
    numbers = range(len(flows))
    places = [LoopbackPort(j, k) for j in range(chip.pipelines) for k in range(chip.ports)]
    at = {(i, place): z3.Bool(f"x_{i}_{place.pipeline}_{place.port}") for i in numbers for place in places}
    free_mbps = dict.fromkeys(places, port_mbps)
    free_kpps = [pipeline_kpps] * chip.pipelines
    for taken in occupied:
        free_mbps[taken.place] -= -(-taken.flow.bps // 10**6)
        free_kpps[taken.place.pipeline] -= -(-taken.flow.pps // 10**3)
    solver = z3.Solver()
    solver.set("timeout", _TIMEOUT_MS)
    for i in numbers:
        solver.add(z3.PbEq([(at[i, place], 1) for place in places], 1))
    for place in places:
        solver.add(z3.PbLe([(at[i, place], mbps[i]) for i in numbers], free_mbps[place]))
    for pipeline in range(chip.pipelines):
        inside = [z3.Bool(f"y_{i}_{pipeline}") for i in numbers]
        for i in numbers:
            solver.add(inside[i] == z3.Or([at[i, place] for place in places if place.pipeline == pipeline]))
        if chip.pipeline_pps is not None:
            solver.add(z3.PbLe([(inside[i], kpps[i]) for i in numbers], free_kpps[pipeline]))
        free = sum(free_mbps[place] for place in places if place.pipeline == pipeline)
        solver.add(z3.PbLe([(inside[i], mbps[i]) for i in numbers], free))
        first = {flow.group: i for i, flow in reversed(list(enumerate(flows))) if flow.group}
        solver.add([inside[i] == inside[first[flow.group]] for i, flow in enumerate(flows) if flow.group])
    guess = _first_fit([flow.group or f"flow {flow.name}" for flow in flows], mbps, free_mbps)
    found = solver.check([at[i, place] for i, place in guess.items()])
    if found != z3.sat:
        found = solver.check()
    if found != z3.sat:
        why = "cannot be placed" if found == z3.unsat else f"were not placed within {_TIMEOUT_MS // 1000} s"
        needed = _gbps(sum(flow.bps for flow in flows))
        raise PlanError(
            f"{len(flows)} flows of {needed} {why} on {chip.pipelines} pipelines "
            f"of {chip.ports} loopback ports of {_gbps(chip.port_bps)}; lower rates or use fewer streams"
        )
    model = solver.model()
    return {
        flow.name: next(place for place in places if z3.is_true(model[at[i, place]]))
        for i, flow in enumerate(flows)
    }


def _first_fit(
    groups: Sequence[str], mbps: Sequence[int], free_mbps: Mapping[LoopbackPort, int]
) -> Mapping[int, LoopbackPort]:
    """A guess: the largest groups go first, to the emptiest pipeline; flows to the fullest port that fits."""
    members: dict[str, list[int]] = {}
    for i, group in enumerate(groups):
        members.setdefault(group, []).append(i)
    taken = Counter({place.pipeline: 0 for place in free_mbps})
    taken.subtract({place.pipeline: mbps for place, mbps in free_mbps.items()})
    inside: dict[int, int] = {}
    for flows in sorted(members.values(), key=lambda flows: -sum(mbps[i] for i in flows)):
        pipeline = min(taken, key=taken.__getitem__)
        taken[pipeline] += sum(mbps[i] for i in flows)
        inside.update(dict.fromkeys(flows, pipeline))
    free = dict(free_mbps)
    found: dict[int, LoopbackPort] = {}
    for i in sorted(inside, key=lambda i: -mbps[i]):
        fits = [place for place in free if place.pipeline == inside[i] and free[place] >= mbps[i]]
        if fits:
            found[i] = min(fits, key=free.__getitem__)
            free[found[i]] -= mbps[i]
    return found


def _check(flows: Sequence[LoopbackFlow], chip: LoopbackPorts) -> None:
    """PlanError if simple sums show that the flows do not fit; a solver would need long to prove it."""
    for flow in flows:
        if flow.bps > chip.port_bps:
            problem = f"flow {flow.name!r} needs {_gbps(flow.bps)}"
            raise PlanError(f"{problem}; a loopback port carries {_gbps(chip.port_bps)}")
    if (again := sum(flow.recirculated_bps for flow in flows)) > RECIRCULATION_BPS:
        names = ", ".join(flow.name for flow in flows if flow.recirculated_bps)
        raise PlanError(
            f"{names}: {_gbps(again)}; the port that recirculates carries "
            f"{_gbps(RECIRCULATION_BPS)}; open fewer connections each second"
        )
    for what, needed, most in (
        ("bits", sum(flow.bps for flow in flows), chip.all_ports * chip.port_bps),
        ("packets", sum(flow.pps for flow in flows), chip.pipelines * (chip.pipeline_pps or 0)),
    ):
        if needed > most and (what == "bits" or chip.pipeline_pps is not None):
            unit = _gbps if what == "bits" else _mpps
            raise PlanError(
                f"{len(flows)} flows need {unit(needed)}, {unit(needed - most)} more than the "
                f"{chip.pipelines} pipelines with {chip.ports} loopback ports each have: {unit(most)}"
            )
    for bits, large, each in _crowds([flow.bps for flow in flows], chip.port_bps, chip.all_ports):
        raise PlanError(
            f"{large} flows need {_gbps(bits)} or more each; of these {each} fit into a loopback port of "
            f"{_gbps(chip.port_bps)}, of which there are {chip.all_ports}"
        )
    shared: Counter[str] = Counter()
    for flow in flows:
        shared[flow.group or f"flow {flow.name}"] += flow.bps
    pipeline_bps = chip.ports * chip.port_bps
    for group, large, each in _crowds(list(shared.values()), pipeline_bps, chip.pipelines):
        raise PlanError(
            f"{large} groups of flows that share registers need {_gbps(group)} or more each; {each} fit "
            f"into the {chip.ports} loopback ports of a pipeline, of which there are {chip.pipelines}"
        )


def _crowds(weights: Sequence[int], capacity: int, bins: int) -> Iterator[tuple[int, int, int]]:
    """Weights that, with all larger ones, are too many; their number, and the number that fits a bin."""
    for number, weight in enumerate(sorted(weights, reverse=True), start=1):
        each = capacity // weight if weight else number
        if number > bins * each:
            yield weight, number, each


def _z3() -> ModuleType:
    try:
        import z3
    except ImportError:
        raise PlanError(
            "planning for a Tofino needs z3; install TesterLibrary with its extra 'tofino'"
        ) from None
    module: ModuleType = z3
    return module


def _gbps(bps: int) -> str:
    return f"{bps / 1e9:,.4g} Gbps"


def _mpps(pps: int) -> str:
    return f"{pps / 1e6:,.4g} Mpps"
