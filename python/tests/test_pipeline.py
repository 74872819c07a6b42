import math
import random
from decimal import Context, Decimal
from fractions import Fraction

import pytest
import rules

import checkrr

DPSGD = [{"gaussian": {"noise_multiplier": "1.1", "batch": 256, "records": 60000, "epochs": 30}}]


def pipelines():
    """Tiny ones: pure DP at up to three stops, with δ or other laws at two."""
    draw = random.Random(1)

    def charge():
        return 1 + Fraction(draw.randint(0, 24), 8)

    def pure():
        return {"exp_eps": 1 + Fraction(draw.randint(1, 16), 8)}

    def other():
        x, y = Fraction(draw.randint(1, 9), 10), Fraction(draw.randint(1, 9), 10)
        return draw.choice([{**pure(), "delta": Fraction(1, draw.randint(3, 99))}, {"law": [[x, y], [1 - x, 1 - y]]}])

    for ends in ([1], [3], [1, 2], [1, 3], [2, 3], [1, 2, 3]) * 4:
        yield [pure() for _ in range(ends[-1])], [(after, charge()) for after in ends]
    for ends in ([2], [1, 2]) * 8:
        yield [other() for _ in range(ends[-1])], [(after, charge()) for after in ends]


@pytest.mark.parametrize("steps, stops", pipelines())
def test_optdel_is_that_of_all_rules(steps, stops):
    charged = [{"after": after, "exp_eps": charge} for after, charge in stops]
    found = checkrr.optdel(steps, charged, exact=True)
    assert found.exact == rules.optdel(steps, stops)
    assert Fraction(found.delta.lower) <= found.exact <= Fraction(found.delta.upper)
    assert Fraction(found.lemma11.upper) >= found.exact


def exp(exact):
    return Fraction(Context(prec=60).exp(Decimal(exact)))


def test_schedule_needs_its_delta():
    steps = [{"exp_eps": "3/2"}, {"exp_eps": "5/4"}, {"exp_eps": 2}]
    plan = checkrr.schedule(steps, [{"after": 1}, {"after": 3}], delta="1/20")
    of_charges = rules.optdel(steps, [(stop.after, exp(stop.eps.exact)) for stop in plan.stops])
    assert Fraction(99, 2000) < of_charges <= Fraction(1, 20) + Fraction(1, 10**40)
    assert all(stop.eps >= Decimal(stop.eps.exact) and stop.eps < stop.lemma11_eps for stop in plan.stops)
    again = checkrr.optdel(steps, plan.charged(), at_most="1/20")
    assert again.delta.upper <= plan.delta and plan.optdel.lower <= again.delta.upper


def test_schedule_of_the_readme():
    plan = checkrr.schedule(DPSGD, [{"every": "epoch"}], delta=1e-5)
    epoch7 = plan.stops[6]
    assert (epoch7.after, epoch7.label, len(plan.stops)) == (1645, "epoch 7", 30)
    row = epoch7.eps, epoch7.lemma11_eps, plan.plain_dp_eps, epoch7.eps_if_stopping_was_no_choice
    assert row == pytest.approx((0.8856, 0.9528, 1.6386, 0.7673), rel=1e-4)
    assert (plan.delta, plan.delta.exact) == (1e-5, "1e-05")
    assert plan.optdel.upper <= 1e-5


def needs(sigma, eps):
    """δ of one Gaussian release: Φ(1/2σ − εσ) − e^ε·Φ(−1/2σ − εσ) (Balle and Wang 2018)."""
    def normal(x):
        return math.erfc(-x / math.sqrt(2)) / 2
    return normal(1 / (2 * sigma) - eps * sigma) - math.exp(eps) * normal(-1 / (2 * sigma) - eps * sigma)


def test_composition_of_the_readme():
    found = checkrr.compose(DPSGD, delta=1e-5)
    assert 1.6383 < found.eps.lower < found.eps.upper < 1.6386
    assert found.delta.upper == found.delta.lower == 1e-5
    again = checkrr.compose(DPSGD, eps=found.eps.upper, at_most=1e-5)
    assert again.delta.lower <= 1e-5 and again.delta.upper <= 1.0001e-5
    assert again.eps.lower == pytest.approx(found.eps.upper, rel=1e-15)
    with pytest.raises(checkrr.Refuted) as refused:
        checkrr.compose(DPSGD, delta=1e-5, at_most=1.6)
    assert refused.value.result.eps.lower > 1.6
    with pytest.raises(checkrr.InputError, match="missing"):
        checkrr.compose(DPSGD)


@pytest.mark.parametrize("sigma", [0.5, 3])
def test_composition_of_one_release(sigma):
    found = checkrr.compose([{"gaussian": {"noise": sigma}}], eps=1, rel_width=1e-4)
    assert found.delta.lower < needs(sigma, 1) < found.delta.upper
    of_two = checkrr.compose([{"gaussian": {"noise": sigma}}], eps=1, neighbours={"group": 2})
    assert of_two.delta.lower < needs(sigma / 2, 1) < of_two.delta.upper


def test_noise_of_one_release():
    found = checkrr.noise([{"gaussian": {"noise": 1}}], [{"after": 1}], delta="1e-5", eps=1)
    level = found.noise[0]
    assert needs(level.noise, 1) < 1e-5 < needs(level.not_enough, 1)
    assert 0.998 * level.noise < level.not_enough and (level.mechanism, level.kind) == (1, "gaussian")
    assert found.stops[0].eps <= 1 and found.optdel.upper <= 1e-5 and found.plain_dp_eps is None
    stops = [{"after": 1}, {"after": 2}]
    of_two = checkrr.noise([{"gaussian": {"noise": 1}, "count": 2}], stops, delta="1e-5", eps=1)
    assert needs(of_two.noise[0].noise / math.sqrt(2), of_two.plain_dp_eps) <= 1e-5 and of_two.plain_dp_eps < 1


def test_noise_for_given_charges():
    stops = [{"after": 1, "exp_eps": 3}, {"after": 2, "eps": "2"}]
    found = checkrr.noise([{"gaussian": {"noise": 3}, "count": 2}], stops, delta="1e-3", shape="given")
    assert [stop.eps for stop in found.stops] == [None, 2]
    enough = {"gaussian": {"noise": Decimal(found.noise[0].noise.exact)}, "count": 2}
    assert checkrr.optdel([enough], stops, at_most="1e-3").delta.upper <= 1e-3


@pytest.mark.parametrize("number", ["1.5", "3/2", 1.5, Decimal("1.5"), Fraction(3, 2), checkrr.SafeFloat(1.5)])
def test_numbers_are_exact(number):
    found = checkrr.optdel([{"exp_eps": number}], [{"after": 1, "exp_eps": "1"}], exact=True)
    assert found.exact == Fraction(1, 5)


def test_floats_are_what_was_typed():
    tenth = [checkrr.optdel([{"law": [[p, "1/2"], [1 - Fraction("0.1"), "1/2"]]}], [{"after": 1, "exp_eps": 1}],
                            exact=True).exact for p in (0.1, Fraction("0.1"))]
    assert tenth[0] == tenth[1] == Fraction(2, 5)


def test_options():
    steps = [{"gaussian": {"noise": 1}, "count": 2}]
    stops, third = [{"after": 1, "label": "first"}, {"after": 2, "label": "second"}], 1e-3 / 3
    plan = checkrr.schedule(steps, stops, delta=third, slack="0.1")
    assert plan.delta == third and 0.8 * third < plan.optdel.upper < 0.99 * third
    found = checkrr.noise(steps, stops, delta=1e-3, eps=1, at="first", rel_width=0.1)
    assert checkrr.noise(steps, stops, delta=1e-3, eps=1, at=stops[0]["after"], rel_width=0.1).noise == found.noise
    assert found.stops[0].eps <= 1 < found.stops[1].eps and found.stops[1].label == "second"
    assert 0.9 < found.noise[0].not_enough / found.noise[0].noise < 0.998


def test_rule_that_never_stops_early():
    found = checkrr.optdel([{"exp_eps": 2, "count": 2}], [{"after": 1, "exp_eps": 2}, {"after": 2, "exp_eps": 3}])
    assert [stop.loss_at_least for stop in found.stops] == [math.inf, -math.inf]
    assert [stop.probability for stop in found.stops] == [0, 1]


def test_neighbours():
    step, stop = [{"gaussian": {"noise": 4}}], [{"after": 1, "eps": 1}]
    replaced = checkrr.optdel(step, stop, neighbours="replace").delta
    assert replaced.lower <= needs(2, 1) <= replaced.upper
    group = checkrr.optdel(step, stop, neighbours={"group": 2}).delta
    assert group.lower <= needs(2, 1) <= group.upper
    gdp = checkrr.optdel([{"gdp": "0.5"}], stop).delta
    assert gdp.lower <= needs(2, 1) <= gdp.upper


def test_users():
    user = {"gaussian": {"noise": 4, "adds": [[0, "0.25"], [2, "0.75"]]}}
    sampled = {"gaussian": {"noise": 2, "sampling": "0.75"}}
    found = [checkrr.optdel([step], [{"after": 1, "eps": 1}]).delta for step in (user, sampled)]
    assert found[0] == found[1]


def test_sampled():
    both = {"sampled": {"rate": "0.25", "mechanisms": [{"gaussian": {"noise": 4}, "count": 4}]}}
    alone = {"gaussian": {"noise": 2, "sampling": "0.25"}}
    x, y = [checkrr.optdel([step], [{"after": 1, "eps": 0}]).delta for step in (both, alone)]
    assert max(x.lower, y.lower) <= min(x.upper, y.upper)


def test_batches():
    fixed = {"gaussian": {"noise": 4, "sampling": {"batch": 1, "records": 4}}}
    user = {"gaussian": {"noise": 4, "adds": [[0, "0.75"], [2, "0.25"]]}}
    x, y = [checkrr.optdel([step], [{"after": 1, "eps": "0.1"}]).delta for step in (fixed, user)]
    assert max(x.lower, y.lower) <= min(x.upper, y.upper)
    replaced = checkrr.optdel([fixed], [{"after": 1, "eps": "0.1"}], neighbours="replace").delta
    assert max(x.lower, replaced.lower) <= min(x.upper, replaced.upper)  # of one step, at orders above 1


def test_bounded_range():
    ranged, dp = [checkrr.optdel([{key: 1}], [{"after": 1, "eps": 0}]).delta for key in ("bounded_range", "eps")]
    assert ranged.lower <= 0.2449187 <= ranged.upper < dp.lower  # tanh(1/4), and tanh(1/2)


def test_errors():
    with pytest.raises(ValueError, match="stop 1: after is 2, must be at most 1"):
        checkrr.optdel([{"eps": 1}], [{"after": 2, "eps": 1}])
    with pytest.raises(checkrr.InputError, match="1j is complex, must be str"):
        checkrr.optdel([{"eps": 1j}], [])
    with pytest.raises(ValueError):
        checkrr.optdel([{"eps": math.nan}], [{"after": 1, "eps": 1}])
    with pytest.raises(ValueError, match="delta"):
        checkrr.schedule(DPSGD, [{"every": "epoch"}], delta="--help")


def test_refuted_says_what_is():
    with pytest.raises(checkrr.Refuted, match="OptDel is more than 1/6") as refuted:
        checkrr.optdel([{"exp_eps": "3/2"}], [{"after": 1, "exp_eps": 1}], at_most=Fraction(1, 6))
    assert 0.2 <= refuted.value.result.delta.upper <= 0.2000001


def test_inconclusive_says_what_holds():
    step = [{"gaussian": {"noise_multiplier": 1, "sample_rate": 0.01}, "count": 20}]
    with pytest.raises(checkrr.Inconclusive, match="wider than asked for") as wide:
        checkrr.optdel(step, [{"after": 20, "eps": 8}], rel_width=1e-9)
    delta = wide.value.result.delta
    assert 0 < delta.lower < delta.upper < 1.001 * delta.lower and "nothing narrower" in wide.value.result.caveats[0]
    with pytest.raises(checkrr.Inconclusive, match="no result within") as nothing:
        checkrr.schedule(DPSGD, [{"every": 1}], delta="1e-5", timeout=0.001)
    assert nothing.value.result is None


def test_program_is_missing_or_another(monkeypatch, tmp_path):
    ask = [{"eps": 1}], [{"after": 1, "eps": 1}]
    monkeypatch.setenv("CHECKRR", "")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="set CHECKRR"):
        checkrr.optdel(*ask)
    other = tmp_path / "checkrr"
    for text, message in (("exit 7", "ended with code 7"), ("echo '{\"schema_version\": 9}'", "9, must be 2")):
        other.write_text(f"#!/bin/sh\n{text}\n")
        other.chmod(0o755)
        with pytest.raises(checkrr.Error, match=message):
            checkrr.optdel(*ask)


def test_labels_in_the_ledger():
    plan = checkrr.schedule([{"eps": "0.1", "count": 4}], [{"after": 2, "label": "half"}, {"after": 4}], delta="1e-3")
    event = plan.event(2)
    assert list(event["parts"]) == ["after half", "after 4"] and event["observed"] == "after half"
    assert plan.event(4)["observed"] == "after 4" and plan.charged()[0]["label"] == "half"
    with pytest.raises(checkrr.InputError, match="after is 3, must be a stop"):
        plan.event(3)


def test_contributions():
    found = checkrr.optdel([{"eps": "0.1", "count": 4}], [{"after": 2, "eps": 0.1}, {"after": 4, "eps": 0.2}])
    assert sum(stop.contribution for stop in found.stops) == pytest.approx(found.delta.lower)


@pytest.mark.parametrize("options", [dict(delta=True), dict(delta=False), dict(delta="1e-3", slack=True)])
def test_true_is_no_number(options):
    with pytest.raises(checkrr.InputError, match="is (True|False), must be str, int"):
        checkrr.schedule([{"eps": 1}], [{"after": 1}], **options)


@pytest.mark.parametrize("key", ["eps", "delta", "count"])
def test_true_is_no_number_of_a_step(key):
    with pytest.raises(checkrr.InputError, match="true"):
        checkrr.optdel([{"eps": 1, key: True}], [{"after": 1, "eps": 1}])


def test_what_was_found_is_asked_about_as_it_was_found():
    found = checkrr.SafeFloat(1.4, "4/3")
    assert checkrr.optdel([{"exp_eps": found}], [{"after": 1, "exp_eps": 1}], exact=True).exact == Fraction(1, 7)
    x = checkrr.SafeFloat(0.4, "0.3")
    law = (x, 0), (Decimal("0.70"), 1)
    assert checkrr.optdel([{"law": law}], [{"after": 1, "eps": 0}], exact=True).exact == Fraction("0.3")
