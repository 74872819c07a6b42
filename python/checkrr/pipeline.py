"""Pipelines that may stop early: the δ of given charges, the charges for a δ, and the noise for a charge."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, TypedDict, Union

from .ledger import Event, Neighbours
from .program import InputError, Number, SafeFloat, ask, number, text, to_json, whole

Noisy = Mapping[str, Union[Number, Sequence[Sequence[Number]], Mapping[str, int]]]


class Step(TypedDict, total=False):
    """One entry of `mechanisms:`, see docs/reference/problem-file.md."""

    eps: Number
    exp_eps: Number
    delta: Number
    count: int
    gaussian: Noisy
    laplace: Noisy
    discrete_gaussian: Noisy
    gdp: Number
    bounded_range: Number
    group: int
    law: Sequence[Sequence[Number]]
    losses: str
    sampled: "Sampled"
    repeat: int
    mechanisms: Sequence["Step"]


class Sampled(TypedDict, total=False):
    """Several entries that all see one sample."""

    rate: Number
    sample_rate: Number
    mechanisms: Sequence[Step]


Stop = TypedDict(
    "Stop",
    {"after": int, "every": Union[int, str], "from": int, "to": int, "eps": Number, "exp_eps": Number,
     "weight": Number, "label": str},
    total=False,
)
Stop.__doc__ = "One entry of `stops:`, see docs/reference/problem-file.md."


@dataclass(frozen=True)
class Interval:
    """Certified to contain the true value. Publish `upper`."""

    lower: SafeFloat
    upper: SafeFloat


@dataclass(frozen=True)
class RuleStop:
    """What the worst rule does at a stop: it stops there if the privacy loss is at least `loss_at_least`."""

    after: int
    label: str
    loss_at_least: SafeFloat  # inf for never, and -inf at the end, where all stop
    probability: float
    contribution: Optional[float]  # about how much of the lower end of δ is due to it; None beyond all doubles
    delta_if_stopping_was_no_choice: Interval


@dataclass(frozen=True)
class OptDel:
    """The smallest δ that is valid for the charges, whatever the stopping rule."""

    delta: Interval
    lemma11: Interval  # an older bound
    exact: Optional[Fraction]  # if it was asked for
    stops: Tuple[RuleStop, ...]
    caveats: Tuple[str, ...]


@dataclass(frozen=True)
class Charge:
    """The ε of a run that ends at this stop, if the charges were fixed before it."""

    after: int
    label: str
    eps: Optional[SafeFloat]  # None if the charge was given as `exp_eps`
    lemma11_eps: Optional[SafeFloat] = None  # by an older bound
    # What an accountant prints for the steps so far. Not valid if the decision to stop depended on results.
    eps_if_stopping_was_no_choice: Optional[SafeFloat] = None


@dataclass(frozen=True)
class Schedule:
    """Charges of all stops, for one δ."""

    delta: SafeFloat
    optdel: Interval  # of these charges; at most delta
    plain_dp_eps: SafeFloat  # what every run costs without output DP, wherever it stops
    mean_eps: SafeFloat
    stops: Tuple[Charge, ...]
    caveats: Tuple[str, ...]
    neighbours: Optional[Neighbours] = None  # None for add-or-remove

    def charged(self) -> List[Stop]:
        """The stops with their charges, exactly, as `optdel` takes them. Keep them where their date can be seen."""
        return [{"after": stop.after, "eps": stop.eps.exact or stop.eps,
                 **({"label": stop.label} if stop.label else {})}
                for stop in self.stops if stop.eps is not None]

    def event(self, after: Union[int, str], mechanism: str = "pipeline") -> Event:
        """The line of a ledger for a run that stopped after so many mechanisms, or at a stop such as "epoch 7", as
        `account` takes it: its parts are called after the stops, by their labels if they have some.

        Its dp, plain DP at the same δ, is no probabilistic DP: not for `checkrr odometer`. Its note says so.
        """
        parts: Dict[str, Union[Number, Mapping[str, Number]]] = {
            f"after {stop.get('label', stop['after'])}": stop["eps"] for stop in self.charged()}
        at = after if isinstance(after, str) else whole("after", after)
        ended = next((stop for stop in self.charged() if at in (stop["after"], stop.get("label"))), None)
        if ended is None:
            raise InputError(f"after is {after}, must be a stop of the plan, such as {self.stops[-1].after}")
        observed = f"after {ended.get('label', ended['after'])}"
        delta = self.delta.exact or self.delta
        event: Event = {"mechanism": mechanism, "parts": parts, "delta": delta, "observed": observed}
        note = "charges of checkrr.schedule"
        if self.neighbours not in (None, "add-or-remove", {"group": 1}):
            event["neighbours"] = self.neighbours
        if self.plain_dp_eps < max(stop.eps for stop in self.stops if stop.eps is not None):
            event["dp"] = {"eps": self.plain_dp_eps.exact or self.plain_dp_eps, "delta": delta}
            note += "; dp is not probabilistic DP: not for checkrr odometer"
        event["note"] = note
        return event


@dataclass(frozen=True)
class Composition:
    """What mechanisms cost that all run: the one of eps and delta that was given, and the interval of the other."""

    eps: Interval
    delta: Interval
    caveats: Tuple[str, ...]


@dataclass(frozen=True)
class NoiseLevel:
    """Noise of one mechanism: `noise` is enough, `not_enough` is not, for charges of the same shape."""

    mechanism: int  # its place, from 1
    kind: str
    noise: SafeFloat
    not_enough: Optional[SafeFloat]


@dataclass(frozen=True)
class Noise:
    """The least noise, and the charges that go with it."""

    delta: SafeFloat
    optdel: Interval  # of these charges; at most delta
    noise: Tuple[NoiseLevel, ...]
    plain_dp_eps: Optional[SafeFloat]  # what the whole run costs with it; None with one stop, or if it is not known
    stops: Tuple[Charge, ...]
    caveats: Tuple[str, ...]


def optdel(steps: Iterable[Step], stops: Iterable[Stop], *, at_most: Optional[Number] = None, exact: bool = False,
           rel_width: Optional[Number] = None, neighbours: Optional[Neighbours] = None,
           timeout: Optional[float] = None) -> OptDel:
    """The smallest δ for the charges that the stops have.

    `at_most` makes it a verdict: Refuted is raised if δ is more. `exact` asks for δ as a Fraction, if every ε is an
    `exp_eps`. `timeout` is in seconds.
    """
    options = {"at-most": at_most, "exact": exact, "rel-width": rel_width, "timeout": seconds(timeout)}
    return ask("optdel", problem(steps, stops, neighbours), options, read_optdel)


def schedule(steps: Iterable[Step], stops: Iterable[Stop], *, delta: Number, shape: str = "uniform",
             slack: Optional[Number] = None, neighbours: Optional[Neighbours] = None,
             timeout: Optional[float] = None) -> Schedule:
    """Charges of the stops that are as small as δ allows. The shapes are uniform, linear, sqrt and optimal."""
    options = {"delta": delta, "shape": shape, "slack": slack, "timeout": seconds(timeout)}
    found = ask("schedule", problem(steps, stops, neighbours), options, read_schedule)
    return replace(found, neighbours=neighbours)


def noise(steps: Iterable[Step], stops: Iterable[Stop], *, delta: Number, eps: Optional[Number] = None,
          at: Union[int, str, None] = None, shape: str = "uniform", rel_width: Optional[Number] = None,
          neighbours: Optional[Neighbours] = None, timeout: Optional[float] = None) -> Noise:
    """The least noise with which the charge is at most `eps` at a stop: the last, or `at` such as 1645 or "epoch 7".

    With the shape "given" it is the noise for the charges that the stops have, without `eps`.
    """
    place = at if at is None or isinstance(at, str) else f"after={whole('at', at)}"
    options = {"delta": delta, "eps": eps, "at": place, "shape": shape, "rel-width": rel_width,
               "timeout": seconds(timeout)}
    return ask("noise", problem(steps, stops, neighbours), options, read_noise)


def compose(steps: Iterable[Step], *, delta: Optional[Number] = None, eps: Optional[Number] = None,
            at_most: Optional[Number] = None, rel_width: Optional[Number] = None,
            neighbours: Optional[Neighbours] = None, timeout: Optional[float] = None) -> Composition:
    """Plain DP of a run that never stops early: the smallest ε for a `delta`, or the smallest δ for an `eps`.

    It also holds wherever the run stops. `at_most` makes it a verdict: Refuted is raised if what is found is more.
    """
    options = {"delta": delta, "eps": eps, "at-most": at_most, "rel-width": rel_width, "timeout": seconds(timeout)}
    return ask("compose", problem(steps, [], neighbours), options, read_composition)


def problem(steps: Iterable[Step], stops: Iterable[Stop], neighbours: Optional[Neighbours]) -> str:
    """A problem file."""
    keys: Dict[str, object] = {"mechanisms": list(steps)}
    at = list(stops)
    if at:
        keys["stops"] = at
    if neighbours is not None:
        keys["neighbours"] = neighbours
    return to_json(keys)


def seconds(timeout: Optional[float]) -> Optional[str]:
    """A time as options have it."""
    return None if timeout is None else text(timeout) + "s"


def interval(record: Mapping[str, Any]) -> Interval:
    return Interval(number(record, "lower"), number(record, "upper"))


def optional(record: Mapping[str, Any], key: str) -> Optional[SafeFloat]:
    return number(record, key) if key in record else None


def caveats(answer: Mapping[str, Any]) -> Tuple[str, ...]:
    """Why the guarantee says little, and why it is less precise than asked for."""
    return (*answer.get("caveats", ()), *([answer["shortfall"]] if "shortfall" in answer else ()))


def read_optdel(answer: Dict[str, Any]) -> OptDel:
    stops = (RuleStop(alone["after"], alone.get("label", ""),
                      number({"loss_at_least": -math.inf, **rule}, "loss_at_least"),
                      rule["probability"], rule["contribution"], interval(alone["delta"]))
             for alone, rule in zip(answer["single_stop"], answer["stopping_rule"]))
    exact = Fraction(answer["exact"]) if answer.get("exact") else None
    return OptDel(interval(answer["optdel"]), interval(answer["lemma11"]), exact, tuple(stops), caveats(answer))


def read_charges(answer: Dict[str, Any]) -> Tuple[Charge, ...]:
    return tuple(Charge(stop["after"], stop.get("label", ""), optional(stop, "eps"), optional(stop, "lemma11_eps"),
                        optional(stop, "single_stop_eps")) for stop in answer["schedule"])


def read_schedule(answer: Dict[str, Any]) -> Schedule:
    return Schedule(number(answer, "delta"), interval(answer["optdel"]), number(answer, "plain_dp_eps"),
                    number(answer, "mean_eps"), read_charges(answer), caveats(answer))


def read_noise(answer: Dict[str, Any]) -> Noise:
    levels = (NoiseLevel(level["mechanism"], level["kind"], number(level, "noise"), optional(level, "not_enough"))
              for level in answer["noise"])
    return Noise(number(answer, "delta"), interval(answer["optdel"]), tuple(levels), optional(answer, "plain_dp_eps"),
                 read_charges(answer), caveats(answer))


def read_composition(answer: Dict[str, Any]) -> Composition:
    computed = answer["computed"]
    given = {"eps": "delta", "delta": "eps"}[computed]
    both = {computed: interval(answer.get("closer", answer[computed])),
            given: Interval(number(answer, given), number(answer, given))}
    return Composition(both["eps"], both["delta"], caveats(answer))
