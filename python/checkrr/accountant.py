"""An accountant for training with DP-SGD that may stop early, with the interface of Opacus's accountants."""

from __future__ import annotations

from collections.abc import Iterable as IterableABC
from copy import deepcopy
from fractions import Fraction
from typing import Any, Callable, Dict, Iterable, List, Mapping, MutableMapping, Optional, Tuple, Union

from .ledger import Event, Neighbours
from .pipeline import Step, Stop, schedule
from .program import Error, InputError, Number, SafeFloat, text, whole


class NotPlanned(Error):
    """Something was done that the plan does not have, and no ε is known for it."""


def double(name: str, value: Number) -> float:
    """The nearest double of a number; that of "1/235" is 1/235."""
    try:
        return float(value) if type(value) is float else float(Fraction(text(value)))
    except (InputError, OverflowError, ValueError, ZeroDivisionError) as error:
        raise InputError(f"{name} is {value!r}, must be a number") from error


def values(plan: Any) -> Any:
    """The plan of a state, with its numbers as such: 5 is 5.0."""
    try:
        return {**plan, **{key: Fraction(plan[key]) for key in ("noise_multiplier", "sample_rate", "delta")}}
    except (KeyError, TypeError, ValueError, ZeroDivisionError):
        return plan


def labelled(stop: Stop) -> Stop:
    """A stop as a problem file has it, without what would change its charge."""
    if others := set(stop) - {"after", "every", "from", "to", "label"}:
        raise InputError(f"the stop {stop} has {', '.join(map(repr, sorted(others)))}, which checkrr.schedule takes")
    return stop


# What to do then.
CHANGED = ' (docs/guide/dpsgd.md, "When the plan changes")'


class Accountant:
    """The ε of a training run whose plan was made before it, valid though stopping depended on results.

    noise_multiplier, sample_rate  of all steps, with Poisson sampling; for batches of a fixed size that are drawn anew
                                   for every step, {"batch": 256, "records": 60000} in place of the rate
    steps                          that are taken at most
    stops                          where training may stop: every so many steps and at the end, or a list of steps;
                                   {"every": 235, "label": "epoch"}, as in a problem file, or a list of such stops,
                                   gives them labels
    delta                          of the whole run
    neighbours                     as in a problem file, such as {"group": 2}; else one record more or less
    bands                          of a matrix that correlates the noise, as in a problem file

    `plan` has the charges of all stops, computed at once: they count because they are fixed before training. `problem`
    is a problem file with them, to keep. A step with more noise or a smaller sample rate costs no more than planned.
    Where one has less noise or a larger rate, or is one too many, step and get_epsilon raise NotPlanned, and go on
    doing so. Numbers are compared as doubles. Steps with batches of a fixed size, whose rate is batch/records, or with
    bands must be just as planned.
    """

    def __init__(self, *, noise_multiplier: Number, sample_rate: Union[Number, Mapping[str, int]], steps: int,
                 stops: Union[int, Stop, Iterable[Union[int, Stop]]], delta: Number, shape: str = "uniform",
                 neighbours: Optional[Neighbours] = None, bands: Optional[int] = None) -> None:
        correlated = {} if bands is None else {"bands": whole("bands", bands)}
        rate: Any = ({key: whole(key, n) for key, n in sample_rate.items()} if isinstance(sample_rate, Mapping)
                     else text(sample_rate))
        fixed = isinstance(rate, dict)
        gaussian: Any = {"noise_multiplier": text(noise_multiplier), "sampling" if fixed else "sample_rate": rate,
                         **correlated}
        run: List[Step] = [{"gaussian": gaussian, "count": whole("steps", steps)}]
        if isinstance(stops, Mapping):
            at = [labelled(stops)]
        elif isinstance(stops, str) or not isinstance(stops, IterableABC):
            at = [{"every": whole("stops", stops)}]
        else:
            at = [labelled(stop) if isinstance(stop, Mapping) else {"after": whole("a stop", stop)} for stop in stops]
        self.plan = schedule(run, at, delta=delta, shape=shape, neighbours=neighbours)
        of = {} if neighbours is None else {"neighbours": neighbours}
        self.problem = {"mechanisms": run, "stops": self.plan.charged(), **of}
        self.history: List[Tuple[float, float, int]] = []  # noise multiplier, sample rate, how many steps
        self._typed: Dict[str, Any] = {"noise_multiplier": text(noise_multiplier), "sample_rate": rate, **correlated,
                                       "steps": int(steps), "delta": text(delta), "shape": shape, **of,
                                       "stops": [stop.after for stop in self.plan.stops]}
        self._rate = f"{rate['batch']}/{rate['records']}" if fixed else rate
        self._step = double("noise_multiplier", noise_multiplier), double("sample_rate", self._rate)
        self._exact = fixed or bands is not None

    @classmethod
    def mechanism(cls) -> str:
        return "checkrr"

    def __len__(self) -> int:
        """How many steps were taken."""
        return sum(count for _, _, count in self.history)

    def step(self, *, noise_multiplier: float, sample_rate: float) -> None:
        """Counts a step. One that was not planned is counted, too: it cannot be undone. What is no number is not."""
        double("noise_multiplier", noise_multiplier), double("sample_rate", sample_rate)
        count = 1
        if self.history and self.history[-1][:2] == (noise_multiplier, sample_rate):
            count += self.history.pop()[2]
        self.history.append((noise_multiplier, sample_rate, count))
        self._require_planned()

    def get_epsilon(self, delta: Number) -> SafeFloat:
        """The charge of a run that stops now, which is at a stop of the plan, for the δ of the plan."""
        self._require_planned()
        if double("delta", delta) != double("delta", self._typed["delta"]):
            raise NotPlanned(f"delta is {delta}, must be {self._typed['delta']}, for which the charges were planned")
        taken = len(self)
        if taken == 0:
            return SafeFloat(0, "0")  # nothing has been released
        following = next(stop for stop in self.plan.stops if stop.after >= taken)
        if following.after != taken or following.eps is None:
            raise NotPlanned(f"{taken} steps were taken, and the plan has no stop there; the next one is after "
                             f"{following.after}, and its charge, {following.eps}, covers these steps, too{CHANGED}")
        return following.eps

    def event(self, mechanism: str = "training") -> Event:
        """The line of a ledger for a run that stops now, which is at a stop of the plan, as `account` takes it."""
        self.get_epsilon(self._typed["delta"])
        return self.plan.event(len(self), mechanism)

    def _require_planned(self) -> None:
        planned = 0
        for noise_multiplier, sample_rate, count in self.history:
            noise, rate = double("noise_multiplier", noise_multiplier), double("sample_rate", sample_rate)
            planned_so = ((noise, rate) == self._step if self._exact
                         else noise >= self._step[0] and 0 <= rate <= self._step[1])
            if not planned_so:
                least, most = ("", "") if self._exact else ("at least ", "at most ")
                raise NotPlanned(f"a step had noise_multiplier {noise_multiplier} and sample_rate {sample_rate}, must "
                                 f"be {least}{self._typed['noise_multiplier']} and {most}{self._rate} as planned"
                                 f"{self._instead(rate)}: " + self._covered(planned))
            planned += count
        if planned > self._typed["steps"]:
            raise NotPlanned(f"{planned} steps were taken, must be at most {self._typed['steps']} as planned: "
                             + self._covered(self._typed["steps"]))

    def _instead(self, rate: float) -> str:
        """What to do about a step with another sample rate than planned, such as one that Opacus takes."""
        fixed = isinstance(self._typed["sample_rate"], dict)
        if not 1e-18 < rate <= 1 or rate == self._step[1] or rate < self._step[1] and not fixed:
            return ""
        batches = round(1 / rate)
        opacus = f'"1/{batches}"' if 1 / batches == rate else ""
        if fixed:
            return (f" (tell step the rate of batches of a fixed size, {self._rate}; for Poisson samples, as Opacus "
                    f"draws them, plan with sample_rate={opacus or rate})")
        return opacus and f" (Opacus takes 1 / len(data_loader): plan with {opacus})"

    def _covered(self, planned: int) -> str:
        """What is known of a run that left the plan after so many steps. Steps that are left out cost nothing more."""
        says = f"no ε is known for this run{CHANGED}"
        if 0 < planned <= self.plan.stops[-1].after:
            stop = next(stop for stop in self.plan.stops if stop.after >= planned)
            says += f"; of the first {planned} steps the charge is {stop.eps}, that of the stop after {stop.after}"
        return says

    def get_optimizer_hook_fn(self, sample_rate: float) -> Callable[[Any], None]:
        """A function that counts a step of an Opacus optimizer, which PrivacyEngine attaches."""

        def hook(optimizer: Any) -> None:
            self.step(noise_multiplier=optimizer.noise_multiplier,
                      sample_rate=sample_rate * optimizer.accumulated_iterations)

        return hook

    def state_dict(self, destination: Optional[MutableMapping[str, Any]] = None) -> MutableMapping[str, Any]:
        """What a checkpoint keeps: the steps taken, and the plan."""
        state = {} if destination is None else destination
        state.update(history=list(self.history), mechanism=self.mechanism(), plan=deepcopy(self._typed))
        return state

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Goes on from a checkpoint of a run with the same plan, in a new accountant.

        Steps that were taken after the checkpoint are not in it: nobody may have seen anything of them.
        """
        for key, own in (("mechanism", self.mechanism()), ("plan", self._typed)):
            if values(state_dict.get(key)) != values(own):
                raise NotPlanned(f"the {key} of the state is {state_dict.get(key)}, must be {own}")
        if self.history:
            raise NotPlanned(f"{len(self)} steps were taken, and an older state does not undo them")
        history = [(noise, rate, count) for noise, rate, count in state_dict["history"]]
        if any(not isinstance(count, int) or isinstance(count, bool) or count < 1 for _, _, count in history):
            raise NotPlanned(f"the history of the state is {history}, must have counts of at least 1")
        for noise, rate, _ in history:
            double("noise_multiplier", noise), double("sample_rate", rate)
        self.history = history
        self._require_planned()
