import json
import math
from types import SimpleNamespace

import pytest

import checkrr

MNIST = dict(noise_multiplier=1.1, sample_rate="256/60000", steps=7050, stops=235, delta="1e-5")
SMALL = dict(noise_multiplier=2, sample_rate="1/2", steps=6, stops=[2, 4, 6], delta="1e-3")
STEP = dict(noise_multiplier=2.0, sample_rate=0.5)


@pytest.fixture(scope="module")
def plan():
    return checkrr.Accountant(**SMALL).plan


@pytest.fixture
def accountant(plan, monkeypatch):
    """A new one of the small plan, whose charges are computed once."""
    monkeypatch.setattr("checkrr.accountant.schedule", lambda *_, **__: plan)
    return checkrr.Accountant(**SMALL)


def take(accountant, steps, **step):
    for _ in range(steps):
        accountant.step(**step)


def test_epoch_7_of_the_readme():
    accountant = checkrr.Accountant(**MNIST)
    take(accountant, 1645, noise_multiplier=1.1, sample_rate=256 / 60000)
    assert accountant.get_epsilon(1e-5) == pytest.approx(0.8856, rel=1e-4) and len(accountant) == 1645
    assert accountant.get_epsilon(delta=1e-5).exact == accountant.plan.stops[6].eps.exact


def test_charges_at_stops(accountant, plan):
    assert accountant.get_epsilon(1e-3) == 0
    for stop in plan.stops:
        take(accountant, 2, **STEP)
        assert accountant.get_epsilon(1e-3) == stop.eps > stop.eps_if_stopping_was_no_choice
    assert accountant.mechanism() == checkrr.Accountant.mechanism() == "checkrr"
    assert accountant.history == [(2.0, 0.5, 6)]


def test_noise_that_was_found_is_planned_and_typed():
    steps = [{"gaussian": {"noise": 1, "sampling": "1/100"}, "count": 20}]
    found = checkrr.noise(steps, [{"after": 20}], delta=1e-5, eps=1).noise[0].noise
    accountant = checkrr.Accountant(noise_multiplier=found, sample_rate="1/100", steps=20, stops=[20], delta=1e-5)
    for _ in range(20):
        accountant.step(noise_multiplier=float(str(found.exact)), sample_rate=0.01)
    assert accountant.get_epsilon(1e-5) <= 1


@pytest.mark.parametrize("own, gaussian, plain", [
    (dict(sample_rate={"batch": 5, "records": 10}), {"noise_multiplier": "2", "sampling": {"batch": 5, "records": 10}},
     dict(sample_rate=0.5)),
    (dict(bands=2), {"noise_multiplier": "2", "sample_rate": "1/2", "bands": 2}, {}),
])
def test_batches_of_a_fixed_size_and_bands(own, gaussian, plain):
    accountant = checkrr.Accountant(**{**SMALL, **own})
    assert accountant.problem["mechanisms"] == [{"gaussian": gaussian, "count": 6}]
    expected = checkrr.schedule([{"gaussian": gaussian, "count": 6}], [{"every": 2}], delta="1e-3")
    poisson = checkrr.Accountant(**{**SMALL, **plain}).plan.stops
    take(accountant, 4, **STEP)
    assert accountant.get_epsilon(1e-3) == expected.stops[1].eps > poisson[1].eps
    again = checkrr.Accountant(**{**SMALL, **own})
    again.load_state_dict(json.loads(json.dumps(accountant.state_dict())))
    assert again.get_epsilon(1e-3) == accountant.get_epsilon(1e-3)
    hint = r" \(tell step the rate .*, 5/10; for Poisson .* sample_rate=\"1/4\"\)" if "sample_rate" in own else ""
    for other, says in ((dict(STEP, noise_multiplier=2.5), ""), (dict(STEP, sample_rate=0.25), hint)):
        with pytest.raises(checkrr.NotPlanned, match=f"must be 2 and .* as planned{says}: no ε is known"):
            again.step(**other)
        again.history.pop()


@pytest.mark.parametrize("stops", [{"every": 2, "label": "epoch"},
                                   [{"after": 2, "label": "epoch 1"}, {"after": 4, "label": "epoch 2"}, 6]])
def test_labels(plan, stops):
    accountant = checkrr.Accountant(**{**SMALL, "stops": stops})
    assert [(stop.after, stop.eps) for stop in accountant.plan.stops] == [(s.after, s.eps) for s in plan.stops]
    take(accountant, 4, **STEP)
    assert accountant.event()["observed"] == "after epoch 2"
    assert accountant.event() == accountant.plan.event("epoch 2", "training") == accountant.plan.event(4, "training")
    checkrr.Accountant(**SMALL).load_state_dict(accountant.state_dict())
    with pytest.raises(checkrr.InputError, match="'eps', 'weight', which checkrr.schedule takes"):
        checkrr.Accountant(**{**SMALL, "stops": [{"after": 2, "weight": 1, "eps": 1}]})


@pytest.mark.parametrize("own, message", [
    (dict(sample_rate={"batch": 5}), "records"), (dict(sample_rate={"batch": 11, "records": 10}), "11"),
    (dict(bands=0), "bands"), (dict(bands=2, neighbours={"group": 2}), "bands"),
    (dict(bands=2, sample_rate={"batch": 5, "records": 10}), "bands"),
])
def test_batches_and_bands_that_are_refused(own, message):
    with pytest.raises(checkrr.InputError, match=message):
        checkrr.Accountant(**{**SMALL, **own})


def test_no_stop_there(accountant):
    take(accountant, 3, **STEP)
    with pytest.raises(checkrr.NotPlanned, match="3 steps were taken, and the plan has no stop.* after 4, and its"):
        accountant.get_epsilon(1e-3)


@pytest.mark.parametrize("delta", [1e-5, 1e-2, "1/1001", 0.0010000000000000002])
def test_another_delta(accountant, delta):
    take(accountant, 2, **STEP)
    with pytest.raises(checkrr.NotPlanned, match="must be 1e-3"):
        accountant.get_epsilon(delta)


@pytest.mark.parametrize("step", [dict(STEP, noise_multiplier=1.9999999999999998), dict(STEP, sample_rate=0.51),
                                  dict(STEP, noise_multiplier=math.nan), dict(STEP, sample_rate=-0.5),
                                  dict(STEP, sample_rate=math.nan), dict(noise_multiplier=0.5, sample_rate=2.0)])
def test_other_steps_cannot_be_undone(accountant, step):
    accountant.step(**STEP)
    for act in (lambda: accountant.step(**step), lambda: accountant.get_epsilon(1e-3),
                lambda: accountant.step(**STEP), lambda: take(accountant, 1, **STEP)):
        with pytest.raises(checkrr.NotPlanned, match="must be at least 2 and at most 1/2 as planned: no ε is known"):
            act()
    assert len(accountant) == 4


def test_more_noise_and_a_smaller_rate_cost_no_more(accountant, plan):
    accountant.step(noise_multiplier=2.5, sample_rate=0.5)
    accountant.step(noise_multiplier=math.inf, sample_rate=0.4)
    assert accountant.get_epsilon(1e-3) == plan.stops[0].eps


def test_what_is_known_of_a_run_that_left_the_plan(accountant, plan):
    take(accountant, 3, **STEP)
    known = f"first 3 steps the charge is {plan.stops[1].eps}, that of the stop after 4$"
    for rate, hint in ((1.0, r' \(Opacus takes 1 / len\(data_loader\): plan with "1/1"\)'), (0.51, "")):
        with pytest.raises(checkrr.NotPlanned, match=f'as planned{hint}: no ε .*"When the plan changes".*{known}'):
            accountant.step(noise_multiplier=2.0, sample_rate=rate)
        accountant.history.pop()


def test_event_of_a_ledger(accountant, plan):
    with pytest.raises(checkrr.InputError, match="after is 0, must be a stop of the plan, such as 6"):
        accountant.event()
    take(accountant, 4, **STEP)
    event = accountant.event("run")
    assert event["mechanism"] == "run" and event["observed"] == "after 4" and event == plan.event(4, "run")
    spent = checkrr.account([event, event])
    assert spent.spent.eps == pytest.approx(2 * plan.stops[1].eps) and spent.spent.delta == 2e-3
    assert spent.spent_without_odp.eps == pytest.approx(2 * plan.plain_dp_eps) and event["dp"]["delta"] == "0.001"
    accountant.step(**STEP)
    with pytest.raises(checkrr.NotPlanned, match="5 steps were taken"):
        accountant.event()


def test_a_step_of_unknown_noise_counts(accountant):
    for _ in range(2):
        with pytest.raises(checkrr.NotPlanned):
            accountant.step(noise_multiplier=math.nan, sample_rate=0.5)
        with pytest.raises(checkrr.NotPlanned):
            accountant.get_epsilon(1e-3)


def test_too_many_steps(accountant):
    take(accountant, 6, **STEP)
    for act in (lambda: accountant.step(**STEP), lambda: accountant.get_epsilon(1e-3)):
        with pytest.raises(checkrr.NotPlanned, match="7 steps were taken, must be at most 6"):
            act()


def test_checkpoint(accountant, plan):
    take(accountant, 4, **STEP)
    state = json.loads(json.dumps(accountant.state_dict()))
    resumed = checkrr.Accountant(**SMALL)
    resumed.load_state_dict(state)
    assert resumed.get_epsilon(1e-3) == plan.stops[1].eps and len(resumed) == 4
    resumed.step(**STEP)
    assert len(accountant) == 4 and accountant.state_dict({"epoch": 2})["epoch"] == 2
    with pytest.raises(checkrr.NotPlanned, match="an older state does not undo them"):
        resumed.load_state_dict(state)


@pytest.mark.parametrize("change", [dict(mechanism="rdp"), dict(plan=None), dict(history=[(2.0, 0.6, 2)]),
                                    dict(history=[(2.0, 0.5, 4), (2.0, 0.5, -2)]),
                                    dict(history=[(2.0, 0.5, 1.5)])])
def test_checkpoint_of_another_run(accountant, change):
    with pytest.raises(checkrr.NotPlanned):
        accountant.load_state_dict({**accountant.state_dict(), **change})


@pytest.mark.parametrize("same", [dict(noise_multiplier=2.0), dict(sample_rate=0.5), dict(delta="1/1000")])
def test_checkpoint_of_the_same_plan_in_other_words(accountant, same):
    resumed = checkrr.Accountant(**{**SMALL, **same})
    resumed.load_state_dict(accountant.state_dict())


@pytest.mark.parametrize("change", [dict(shape="sqrt"), dict(delta="1e-4"), dict(noise_multiplier=3), dict(steps=8)])
def test_checkpoint_of_another_plan(accountant, change):
    state = accountant.state_dict()
    with pytest.raises(checkrr.NotPlanned, match="the plan of the state"):
        checkrr.Accountant(**{**SMALL, **change}).load_state_dict(state)


def test_hook_of_an_optimizer(accountant):
    hook = accountant.get_optimizer_hook_fn(sample_rate=0.25)
    hook(SimpleNamespace(noise_multiplier=2.0, accumulated_iterations=2))
    assert accountant.history == [(2.0, 0.5, 1)]
    with pytest.raises(checkrr.NotPlanned):
        hook(SimpleNamespace(noise_multiplier=1.9, accumulated_iterations=1))


def normal(x):
    return math.erfc(-x / math.sqrt(2)) / 2


def gain(loss, charge, variance):
    """E max(0, 1 − e^(charge − L)) for a privacy loss L that goes on from `loss` by N(variance/2, variance)."""
    left = charge - loss
    if variance == 0:
        return max(0.0, -math.expm1(left))
    spread = math.sqrt(variance)
    return normal(spread / 2 - left / spread) - math.exp(left) * normal(-spread / 2 - left / spread)


def test_charges_by_quadrature():
    """Two stops without sampling: the worst rule's δ is an integral over the loss at the first stop."""
    plan = checkrr.Accountant(noise_multiplier=3, sample_rate=1, steps=5, stops=[2, 5], delta="1e-3").plan
    first, last = (stop.eps for stop in plan.stops)
    before, after, points = 2 / 9, 3 / 9, 20000
    width = 20 * math.sqrt(before) / points
    delta = sum(width * max(gain(loss, first, 0), gain(loss, last, after)) *
                math.exp(-(loss - before / 2) ** 2 / (2 * before)) / math.sqrt(2 * math.pi * before)
                for loss in (before / 2 + width * (i - points / 2) for i in range(points)))
    assert 0.998e-3 < delta < 1.000001e-3 and plan.optdel.lower * 0.999999 < delta < plan.optdel.upper * 1.000001


@pytest.mark.parametrize("neighbours", [None, "add-or-remove", "replace", {"group": 2}, {"group": 1}])
def test_neighbours_of_an_event(neighbours):
    plan = checkrr.schedule([{"gaussian": {"noise": 3}, "count": 2}], [{"after": 1}, {"after": 2}], delta="1e-3",
                            neighbours=neighbours)
    usual = neighbours in (None, "add-or-remove", {"group": 1})
    assert plan.event(1).get("neighbours") == (None if usual else neighbours)
    record = {"mechanism": "of a record", "parts": {"all": 1}, "delta": 0, "observed": "all"}
    if usual:
        assert checkrr.account([plan.event(1), record]).events == 2
    else:
        with pytest.raises(checkrr.InputError, match="do not add up"):
            checkrr.account([plan.event(1), record])
    assert ("not for checkrr odometer" in plan.event(1)["note"]) == ("dp" in plan.event(1))


def test_accountant_of_groups(plan):
    of_two = checkrr.Accountant(**SMALL, neighbours={"group": 2})
    assert of_two.plan.stops[0].eps > 1.5 * plan.stops[0].eps
    take(of_two, 2, **STEP)
    assert of_two.get_epsilon(1e-3) == of_two.plan.stops[0].eps and of_two.event()["neighbours"] == {"group": 2}
    kept = of_two.problem
    assert checkrr.optdel(kept["mechanisms"], kept["stops"], neighbours=kept["neighbours"], at_most="1e-3")
    again = checkrr.Accountant(**SMALL, neighbours={"group": 2})
    again.load_state_dict(of_two.state_dict())
    assert len(again) == 2
    with pytest.raises(checkrr.NotPlanned, match="the plan of the state is"):
        checkrr.Accountant(**SMALL).load_state_dict(of_two.state_dict())


def test_problem_to_keep(accountant):
    kept = json.loads(json.dumps(accountant.problem))
    assert checkrr.optdel(kept["mechanisms"], kept["stops"], at_most=SMALL["delta"]).delta.upper <= 1e-3


def test_wrong_plans():
    with pytest.raises(checkrr.InputError, match="the last stop must be the end"):
        checkrr.Accountant(**dict(SMALL, stops=[2, 4]))


@pytest.mark.parametrize("step", [dict(STEP, noise_multiplier="much"), dict(STEP, sample_rate=True),
                                  dict(STEP, sample_rate=None), dict(STEP, sample_rate="1/0")])
def test_what_is_no_number_is_no_step(accountant, step):
    take(accountant, 2, **STEP)
    with pytest.raises(checkrr.InputError, match="must be a number"):
        accountant.step(**step)
    assert len(accountant) == 2 and accountant.get_epsilon(1e-3) == accountant.plan.stops[0].eps


@pytest.mark.parametrize("wrong", [dict(stops=20.0), dict(stops=True), dict(stops="20"), dict(stops=[2.0, 4]),
                                   dict(stops=[True]), dict(steps=6.0), dict(steps=True), dict(stops=None)])
def test_whole_numbers(wrong):
    with pytest.raises(checkrr.InputError, match="must be a whole number"):
        checkrr.Accountant(**dict(SMALL, **wrong))


@pytest.mark.parametrize("wrong", ["noise_multiplier", "sample_rate", "delta"])
def test_true_is_no_number(wrong):
    with pytest.raises(checkrr.InputError, match="is True, must be|True is bool, must be"):
        checkrr.Accountant(**dict(SMALL, **{wrong: True}))
