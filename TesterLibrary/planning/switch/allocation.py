# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Chooses the loopback port of a switch for each flow of template packets (norma appendix E)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
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
    _check([*flows, *(loop.flow for loop in occupied)], chip)
    problem = _Problem(flows, chip, occupied)
    problem.give_each_flow_a_port()
    problem.keep_within_ports()
    for pipeline in range(chip.pipelines):
        problem.keep_within_pipeline(pipeline)
    return problem.solution()


class _Problem:
    """Flows and ports as Z3 has them: one boolean for each flow and port, and sums that bound them."""

    def __init__(
        self, flows: Sequence[LoopbackFlow], chip: LoopbackPorts, occupied: Sequence[Occupied]
    ) -> None:
        self._z3 = z3 = _z3()
        self._flows, self._chip = flows, chip
        self._mbps = [-(-flow.bps // 10**6) for flow in flows]
        self._kpps = [-(-flow.pps // 10**3) for flow in flows]
        self._places = [LoopbackPort(j, k) for j in range(chip.pipelines) for k in range(chip.ports)]
        self._free_mbps = dict.fromkeys(self._places, chip.port_bps // 10**6)
        self._free_kpps = [(chip.pipeline_pps or 0) // 10**3] * chip.pipelines
        for loop in occupied:
            self._free_mbps[loop.place] -= -(-loop.flow.bps // 10**6)
            self._free_kpps[loop.place.pipeline] -= -(-loop.flow.pps // 10**3)
        self._is_at = [
            {place: z3.Bool(f"x_{i}_{place.pipeline}_{place.port}") for place in self._places}
            for i in range(len(flows))
        ]
        self._solver = z3.Solver()
        self._solver.set("timeout", _TIMEOUT_MS)

    def give_each_flow_a_port(self) -> None:
        """Each flow is at exactly one port."""
        for ports in self._is_at:
            self._solver.add(self._z3.PbEq([(is_at, 1) for is_at in ports.values()], 1))

    def keep_within_ports(self) -> None:
        """No port carries more bits than it has free."""
        for place, free in self._free_mbps.items():
            weighed = [(ports[place], mbps) for ports, mbps in zip(self._is_at, self._mbps, strict=True)]
            self._solver.add(self._z3.PbLe(weighed, free))

    def keep_within_pipeline(self, pipeline: int) -> None:
        """No pipeline carries more packets than it has free; flows of a group are in it, or none is."""
        z3, add = self._z3, self._solver.add
        inside = [z3.Bool(f"y_{i}_{pipeline}") for i in range(len(self._flows))]
        places = [place for place in self._places if place.pipeline == pipeline]
        for is_inside, ports in zip(inside, self._is_at, strict=True):
            add(is_inside == z3.Or([ports[place] for place in places]))
        if self._chip.pipeline_pps is not None:
            add(z3.PbLe(list(zip(inside, self._kpps, strict=True)), self._free_kpps[pipeline]))
        free_mbps = sum(self._free_mbps[place] for place in places)
        add(z3.PbLe(list(zip(inside, self._mbps, strict=True)), free_mbps))
        first: dict[str, object] = {}
        for is_inside, flow in zip(inside, self._flows, strict=True):
            if flow.group:
                add(is_inside == first.setdefault(flow.group, is_inside))

    def solution(self) -> Mapping[str, LoopbackPort]:
        """The port of each flow. PlanError if there is none, or none was found in time."""
        groups = [flow.group or f"flow {flow.name}" for flow in self._flows]
        guess = _first_fit(groups, self._mbps, self._free_mbps)
        outcome = self._solver.check([self._is_at[i][place] for i, place in guess.items()])
        if outcome != self._z3.sat:
            outcome = self._solver.check()
        if outcome != self._z3.sat:
            raise self._unsolved(is_impossible=outcome == self._z3.unsat)
        model = self._solver.model()
        return {
            flow.name: next(place for place, is_at in ports.items() if self._z3.is_true(model[is_at]))
            for flow, ports in zip(self._flows, self._is_at, strict=True)
        }

    def _unsolved(self, *, is_impossible: bool) -> PlanError:
        why = "cannot be placed" if is_impossible else f"were not placed within {_TIMEOUT_MS // 1000} s"
        chip, needed = self._chip, _gbps(sum(flow.bps for flow in self._flows))
        return PlanError(
            f"{len(self._flows)} flows of {needed} {why} on {chip.pipelines} pipelines "
            f"of {chip.ports} loopback ports of {_gbps(chip.port_bps)}; lower rates or use fewer streams"
        )


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
    _check_sum(sum(flow.bps for flow in flows), chip.all_ports * chip.port_bps, _gbps, len(flows), chip)
    if chip.pipeline_pps is not None:
        packets = sum(flow.pps for flow in flows)
        _check_sum(packets, chip.pipelines * chip.pipeline_pps, _mpps, len(flows), chip)
    _check_crowds(flows, chip)


def _check_sum(needed: int, most: int, unit: Callable[[int], str], flows: int, chip: LoopbackPorts) -> None:
    if needed > most:
        raise PlanError(
            f"{flows} flows need {unit(needed)}, {unit(needed - most)} more than the "
            f"{chip.pipelines} pipelines with {chip.ports} loopback ports each have: {unit(most)}"
        )


def _check_crowds(flows: Sequence[LoopbackFlow], chip: LoopbackPorts) -> None:
    """PlanError if there are more large flows than ports, or more large groups than pipelines, hold."""
    for bits, large, fitting in _crowds([flow.bps for flow in flows], chip.port_bps, chip.all_ports):
        raise PlanError(
            f"{large} flows need {_gbps(bits)} or more each; of these {fitting} fit into a loopback port of "
            f"{_gbps(chip.port_bps)}, of which there are {chip.all_ports}"
        )
    shared: Counter[str] = Counter()
    for flow in flows:
        shared[flow.group or f"flow {flow.name}"] += flow.bps
    pipeline_bps = chip.ports * chip.port_bps
    for group, large, fitting in _crowds(list(shared.values()), pipeline_bps, chip.pipelines):
        raise PlanError(
            f"{large} groups of flows that share registers need {_gbps(group)} or more each; {fitting} fit "
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
