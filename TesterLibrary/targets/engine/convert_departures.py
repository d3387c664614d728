# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Laws of departures as messages of `plan.proto`."""

from __future__ import annotations

from fractions import Fraction
from functools import singledispatch

from ..._generated.tester.v1 import plan_pb2
from ...model.plan.law import Departures, Law, Profile, Replay, Script, Steady
from ...model.plan.random_law import Exponential, OnOff, Quantiles, Random, RandomTimes


def departures_message(departures: Departures) -> plan_pb2.Departures:
    """A law and its offset."""
    message = _law(departures.law)
    message.offset_ns = departures.offset_ns
    return message


def rate_message(rate: Fraction) -> plan_pb2.Rate:
    """A rate in frames each nanosecond. A rate that is not above 0 is sent as 0, which engines refuse."""
    return plan_pb2.Rate(packets=max(0, rate.numerator), nanoseconds=rate.denominator)


@singledispatch
def _law(law: Law) -> plan_pb2.Departures:
    raise TypeError(f"{law} is no law of plan.proto")


@_law.register
def _steady(law: Steady) -> plan_pb2.Departures:
    stages = [plan_pb2.Stage(passes=stage.passes, skips=stage.skips) for stage in law.stages]
    return plan_pb2.Departures(steady=plan_pb2.Steady(tick=rate_message(law.tick), stages=stages))


@_law.register
def _profile(law: Profile) -> plan_pb2.Departures:
    stretches = [plan_pb2.Stretch(duration_ns=s.duration_ns, packets=s.packets) for s in law.stretches]
    return plan_pb2.Departures(profile=plan_pb2.Profile(stretches=stretches, repeat=law.repeat))


@_law.register
def _random(law: Random) -> plan_pb2.Departures:
    message = _distribution(law.distribution)
    message.seed = law.seed
    return plan_pb2.Departures(random=message)


@_law.register
def _script(law: Script) -> plan_pb2.Departures:
    messages = [
        plan_pb2.Message(pause_ns=m.pause_ns, packets=m.packets, gap_ns=m.gap_ns, frame=m.frame)
        for m in law.messages
    ]
    return plan_pb2.Departures(script=plan_pb2.Script(messages=messages, repeat=law.repeat))


@_law.register
def _replay(law: Replay) -> plan_pb2.Departures:
    rewrites = [plan_pb2.Rewrite(address=rewrite.old, replacement=rewrite.new) for rewrite in law.rewrites]
    gaps = {"rate": rate_message(law.fixed)} if law.fixed else {"scale": law.scale}
    replay = plan_pb2.Replay(path=law.path, repetitions=law.repetitions, rewrites=rewrites, **gaps)
    return plan_pb2.Departures(replay=replay)


@singledispatch
def _distribution(distribution: RandomTimes) -> plan_pb2.Random:
    raise TypeError(f"{distribution} is no distribution of plan.proto")


@_distribution.register
def _exponential(distribution: Exponential) -> plan_pb2.Random:
    return plan_pb2.Random(exponential_mean_ns=distribution.mean_ns)


@_distribution.register
def _quantiles(distribution: Quantiles) -> plan_pb2.Random:
    quantiles = plan_pb2.Quantiles(probabilities=distribution.probabilities, gaps_ns=distribution.gaps_ns)
    return plan_pb2.Random(quantiles=quantiles)


@_distribution.register
def _on_off(distribution: OnOff) -> plan_pb2.Random:
    on_off = plan_pb2.OnOff(
        rate=rate_message(distribution.tick),
        on_mean_ns=distribution.on_mean_ns,
        off_mean_ns=distribution.off_mean_ns,
    )
    return plan_pb2.Random(on_off=on_off)
