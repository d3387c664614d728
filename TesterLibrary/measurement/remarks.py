# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Sentences about a trial, made from its numbers, for consoles, verdicts and reports.

A function returns an empty text where there is nothing to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction

from ..model.units.number import counted, percent
from . import attempt
from .departure import pauses_text
from .stream_result import StreamResult
from .trial_numbers import TrialNumbers, named


def line(trial: TrialNumbers) -> str:
    """A trial on one line, with everything that limits it."""
    text = (
        f"{trial.title}: {percent(trial.load, 2)} for {trial.duration_ns / 1e9:g} s, "
        f"sent {trial.sent:,}, {loss_text(trial)}, {_rate_text(trial)}"
    )
    if trial.latency.count:
        text += f", latency {trial.latency}"
    if trial.gap_error.count:
        text += f", rate error {trial.rate_error:+.1e}, gap error {trial.gap_error}"
    if trial.evidence.capture_dropped:
        text += f", {trial.evidence.capture_dropped:,} frames missing in captures"
    return trial.marked("; ".join((text, *besides(trial), *trial.findings, *trial.evidence.remarks)))


def finding(trial: TrialNumbers) -> str:
    """The findings of a trial on one line: how many frames were lost, or why nothing is known."""
    if not trial.valid:
        return f"invalid, {trial.objections[0]}"
    remarks = "".join(f"; {remark}" for remark in besides(trial))
    if trial.lost is None:
        return f"{loss_text(trial)} ({trial.sent:,} sent){remarks}"
    lost = f"lost {trial.lost:,} of {trial.sent:,}" if trial.lost else f"none of {trial.sent:,} lost"
    return f"{lost}{remarks}"


def by_kind(texts: Iterable[str]) -> tuple[tuple[str, int], ...]:
    """The first text of each kind, and how many there are. Texts of a kind differ only in their numbers."""
    kinds: dict[str, list[str]] = {}
    for text in texts:
        kinds.setdefault(re.sub(r"[-+]?[0-9][0-9.,]*", "0", text), []).append(text)
    return tuple((alike[0], len(alike)) for alike in kinds.values())


def besides(trial: TrialNumbers) -> tuple[str, ...]:
    """Remarks that belong to every figure of a trial; none if each frame arrived unchanged or was lost."""
    order = trial.order
    remarks = (
        _silence(trial),
        order.damage,
        f"{order.duplicated:,} duplicates arrived" if order.duplicated else "",
        misrouted(trial),
        *(duplicated_elsewhere(stream) for stream in trial.streams),
        *(_damaged_elsewhere(stream) for stream in trial.streams),
        *(stream.octets.text for stream in trial.streams if stream.measured),
        str(trial.foreign),
        _unsigned(trial),
        not_sustained(trial),
        *(str(earlier) for earlier in trial.earlier if earlier.is_unexplained),
    )
    return tuple(filter(None, remarks))


def _unsigned(trial: TrialNumbers) -> str:
    """Frames that may be those that are missing, with their signature damaged by the device."""
    others = trial.foreign.others
    if trial.lost == 0 or others <= 0:
        return ""
    return (
        f"{counted(others, 'frame')} without a signature arrived: traffic of others, or frames of the test "
        "that were damaged there"
    )


def loss_text(trial: TrialNumbers) -> str:
    """The frame loss as people read it: `lost 4 (0.0040 %)`, or why it is not known."""
    if trial.lost is not None and trial.loss_ratio is not None:
        return f"lost {trial.lost:,} ({percent(trial.loss_ratio, 4)})"
    if trial.loss_bounds is None:
        return "loss not measured"
    least, most = trial.loss_bounds
    if most < 1:
        return f"loss {percent(least, 4)} to {percent(most, 4)}"
    bound = f"loss is at least {percent(least, 4)}" if least else "loss is not known"
    return f"{bound}: {loss_unknown(trial)}"


def loss_unknown(trial: TrialNumbers) -> str:
    """The reason why the number of lost frames is not known; empty where it is known."""
    if trial.lost is not None:
        return ""
    unmeasured = ", ".join(stream.name for stream in trial.streams if not stream.measured)
    if unmeasured:
        return f"the arrivals of {unmeasured} are not measured"
    unsigned = ", ".join(stream.name for stream in trial.streams if not stream.signed)
    if unsigned:
        return f"frames of {unsigned} have no signature, so copies may stand for lost ones"
    if trial.order.duplicated is None:
        return "this tester does not count duplicates, and copies may stand for lost frames"
    if any(stream.broadcast.behind_later for stream in trial.streams):
        return "frames that came behind a later one may be copies, and stand for lost frames"
    copied = [stream.broadcast for stream in trial.streams if stream.copies]
    if any(copies.most_incomplete != copies.incomplete for copies in copied):
        return "copies at other ports are counted together, so nobody knows of how many frames one is missing"
    if any(copies.incomplete is None for copies in copied):
        return "this tester does not count the frames at other ports"
    if not trial.order.late:
        return "several ports miss frames, and nobody knows how many of these are the same"
    return f"{trial.order.late:,} frames came so late that they may be copies"


def loss_open(trial: TrialNumbers) -> str:
    """The reason why counts leave open whether the device lost too much; empty if they do not."""
    if text := loss_unknown(trial):
        return text
    if not trial.lost_crowded:
        return ""
    return (
        f"{trial.lost_crowded:,} of the {trial.lost:,} lost frames left after pauses of the tester, "
        "closer to each other than they were due"
    )


def no_rate(trial: TrialNumbers) -> str:
    """The reason why its frames have no rate; empty if they have one."""
    return "" if trial.has_rate else "no stream has sent two frames, and fewer have no rate"


def not_sustained(trial: TrialNumbers) -> str:
    """The growth of the delay where it grew all along, so that frames only filled a queue; else empty."""
    grown = [(s.growth, s.name) for s in trial.streams if s.growth and not s.growth.sustained]
    texts = [str(growth) if len(trial.streams) == 1 else f"{growth} ({name})" for growth, name in grown]
    return f"not sustained: {', '.join(texts)}" if texts else ""


def misrouted(trial: TrialNumbers) -> str:
    """Frames that arrived on other ports than expected, stream by stream; empty if none did."""
    return "; ".join(filter(None, map(misrouted_frames, trial.streams)))


def misrouted_frames(stream: StreamResult) -> str:
    """Frames of one stream that arrived on other ports than expected, or copies that missed a port."""
    broadcast = stream.broadcast
    if broadcast.missing:
        ports = ", ".join(stream.missed_at or stream.copies)
        return f"{broadcast.missing:,} copies of frames of {stream.name} missed {ports}"
    if not broadcast.misrouted:
        return ""
    ports = ", ".join(stream.counters.rx_misrouted_ports) or "another port"
    expected = ", ".join((stream.rx_port, *stream.copies))
    return f"{broadcast.misrouted:,} frames of {stream.name} arrived at {ports}, expected at {expected}"


def duplicated_elsewhere(stream: StreamResult) -> str:
    """Frames that arrived again at other ports where they are expected, or may have; empty if none did."""
    broadcast, texts = stream.broadcast, []
    if broadcast.duplicated:
        ports = ", ".join(broadcast.again)
        texts = [f"{broadcast.duplicated:,} duplicates of {stream.name} arrived at {ports}"]
    if later := broadcast.behind_later:
        count, ports = sum(later.values()), ", ".join(later)
        texts += [f"{count:,} frames of {stream.name} came behind a later one at {ports}"]
    return "; ".join(texts)


def _damaged_elsewhere(stream: StreamResult) -> str:
    """Frames that arrived damaged at other ports where they are expected; empty if none did."""
    damaged = stream.broadcast.damaged_by_port.items()
    return "; ".join(
        f"{frames:,} frames of {stream.name} arrived damaged at {port}" for port, frames in damaged
    )


def traffic(trial: TrialNumbers) -> str:
    """The law of departures and the number of flows of each stream."""
    texts = {stream.name: text for stream in trial.streams if (text := stream_traffic(stream))}
    if len(set(texts.values())) <= 1:
        return "".join(set(texts.values()))
    return "; ".join(f"{name} {text}" for name, text in texts.items())


def stream_traffic(stream: StreamResult) -> str:
    """The law of a stream's departures and the number of its flows; empty in old records."""
    flows = "an unknown number of flows" if stream.different is None else counted(stream.different, "flow")
    return f"{stream.law}, {flows}" if stream.law else ""


def unconfirmed(trial: TrialNumbers) -> str:
    """An attempt before it that lost frames, so that it does not show that the device loses none."""
    return attempt.unconfirmed(trial.earlier, clean=trial.lost == 0) if trial.valid else ""


def repeated_for(trial: TrialNumbers, loss: Fraction) -> str:
    """The text of `lossy_attempt`; empty without one."""
    return str(trial.lossy_attempt(loss) or "")


def lost_by_pause(stream: StreamResult) -> str:
    """How pauses of the tester may have cost all frames that a stream lost; empty if it lost more.

    The evidence of a trial says so of its streams together. Where others lose more frames than pauses
    explain, the trial is valid, and this stream may have lost only those of a burst.
    """
    lost, crowded = stream.order.lost, stream.lost_crowded
    burst = stream.burst_of_pause if crowded is None else crowded
    if not lost or lost > burst:
        return ""
    pauses = pauses_text(stream.counters.worst_lateness_ns, f"{burst:,} of them" if crowded is None else "")
    return f"{counted(lost, 'frame')} of {stream.name} lost, and {pauses}"


def lost_beside_others(trial: TrialNumbers, name: str) -> str:
    """`lost_by_pause` of one of several streams; empty for the only one, whose trial is invalid then."""
    return "" if len(trial.streams) == 1 else lost_by_pause(trial.stream(name))


def _rate_text(trial: TrialNumbers) -> str:
    if not trial.measured:
        return "arrivals not measured"
    if trial.most_received_rate is None:
        return no_rate(trial)
    return f"{'at most ' if trial.received_rate is None else ''}{trial.most_received_rate:,.0f} pps"


def _silence(trial: TrialNumbers) -> str:
    """Streams that received nothing, unless another remark says it."""
    if trial.received:
        silent = [
            stream.name
            for stream in trial.streams
            if stream.measured
            and stream.counters.tx_packets
            and not (stream.counters.rx_packets or misrouted_frames(stream))
        ]
        return f"nothing of {named(silent)} arrived" if silent else ""
    if not trial.sent or trial.order.damage or not trial.measured:
        return ""
    other = trial.foreign.frames or misrouted(trial)
    return "nothing arrived as it was sent" if other else "nothing arrived at all"
