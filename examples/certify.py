#!/usr/bin/env python3
"""Checks certificates of checkrr, knowing nothing but docs/certificate.md: certify.py proof.json

Exit codes: 0 all of it holds, 1 something does not, 2 the file is faulty. Numbers are exact
rationals, or multiples of 2^-P, rounded down or up (False or True) as a bound needs it.
"""
import json
import sys
from fractions import Fraction
from functools import cache, reduce
from itertools import accumulate

P, ONE = 0, 1  # set for every claim; ONE is 1
ENDS, RADIX = (False, True), 1 << 64  # more than any node of a lattice

class Refuted(Exception):
    """Something that is claimed is not certified."""

def require(holds, fault, kind=ValueError):
    if not holds:
        raise kind(fault)

def div(a, b, up):
    return -(-a // b) if up else a // b

def mul(a, b, up):
    return div(a * b, ONE, up)

def exp_neg(x, up):
    """A bound of e^-x, x >= 0: one over the other bound of e^x = (e^y)^(2^s), y < 2^-8."""
    if x > P * ONE:
        return int(up)
    s = max(0, x.bit_length() - P + 8)
    w, n = P + s + 16, 0
    total = term = 1 << w
    while term > 1:
        n += 1
        term = div(term * x, n << P + s, not up)
        total += term
    total += 0 if up else term  # more than all terms that are left
    for _ in range(s):
        total = div(total * total, 1 << w, not up)
    return div(1 << P + w, total, up)

@cache
def log(x, bits, up):
    """A bound of ln x, x > 1, times 2^bits: n ln 2 + ln x/2^n, ln x = 2 artanh((x - 1)/(x + 1))."""
    twos = x.numerator.bit_length() - x.denominator.bit_length() - 1
    if twos > 0:  # less than 4 is left
        return log(x / 2**twos, bits, up) + twos * log(Fraction(2), bits, up)
    z, n = (x - 1) / (x + 1), 1
    power, square = (div(y.numerator << bits, y.denominator, up) for y in (z, z * z))
    total = 2 * power
    while power > 1:
        power, n = div(power * square, 1 << bits, up), n + 2
        total += 2 * div(power, n, up)
    return total + 2 * up  # more than all terms that are left: each is less than half of that before

def add(s, n, t):
    """s + n t for sums s and t: tuples of (0, rational) and (x, multiple of ln x)."""
    s, t = dict(s), dict(t)
    return tuple(sorted((x, m) for x in {*s, *t} if (m := s.get(x, 0) + n * t.get(x, 0))))

def bounds(s, bits=0):
    """Bounds of a sum, times 2^P or, if they are given, 2^bits."""
    bits, ends = bits or P, [0, 0]
    for (x, n), up in ((part, up) for part in s for up in ENDS):
        a, b = (n * log(x, bits + 64, up == (n > 0)), 1 << 64) if x else (n.numerator << bits, n.denominator)
        ends[up] += div(a, b, up)
    return ends

def sign(s):
    """The sign of a sum; with logarithms it is 0 only if nothing else is there and the product of the powers is 1."""
    bits, (low, high) = P, bounds(s) if any(x for x, _ in s) else [sum(n for _, n in s)] * 2
    if low <= 0 <= high and low < high and reduce(lambda p, part: p * part[0] ** part[1], s, 1) == 1:
        return 0
    while low <= 0 <= high and low < high:
        bits *= 2
        low, high = bounds(s, bits)
    return (low > 0) - (high < 0)

def law(eps, delta, count, outputs, cut):
    """Atoms (n, depth, bounds of the P0-mass), n depths below the largest loss; bounds of P0-only mass; what was cut."""
    near = lambda x: [div(x.numerator << P, x.denominator, up) for up in ENDS]
    leak = near(1 - (1 - delta)**count)
    if outputs:
        return [(1, depth, *near(m)) for depth, m in outputs], leak, 0
    t, keep, binomial = [exp_neg(x, up) for x, up in zip(reversed(bounds(eps)), ENDS)], 1 - delta, 1
    mass, powers, double = {}, [], add((), 2, eps)
    for up in ENDS:  # t are the odds of losing -eps
        parts = (ONE, ONE + t[not up]), (t[up], ONE + t[up])
        factors = [div(ONE * a * keep.numerator, b * keep.denominator, up) for a, b in parts]
        powers.append([list(accumulate(range(count), lambda p, _: mul(p, x, up), initial=ONE)) for x in factors])
    for j in range(count + 1):
        mass[j] = [binomial * mul(powers[up][0][count - j], powers[up][1][j], up) for up in ENDS]
        binomial = binomial * (count - j) // (j + 1)
    largest = max(m[0] for m in mass.values())
    kept = {j: m for j, m in mass.items() if m[1] >= cut * largest}
    return [(j, double, *m) for j, m in kept.items()], leak, sum(m[1] for j, m in mass.items() if j not in kept)

def split(depth, unit, low, high, spread):
    """Parts (node, P0-mass down, up, P1-mass times e^loss of the node) of an atom so far below node 0."""
    q = bounds(depth)[1] // bounds(unit)[0] if depth else 0
    while sign(over := add(depth, -q, unit)) < 0:
        q -= 1
    if not sign(over):  # what it is below node -q
        return [(-q, low, high, high)]
    x, y, z = [[ONE - exp_neg(max(0, end), not up) for up, end in enumerate(bounds(s))]
               for s in (add(unit, -1, over), over, unit)]  # bounds of 1 - e^-s
    if spread:  # as the chord says
        return [(-q, 0, div(high * x[1], z[0], True), 0), (-q - 1, 0, div(high * (z[1] - x[0]), z[0], True), 0)]
    node, a, b = (-q - 1, ONE - x[0], ONE) if x[0] < y[0] else (-q, ONE, ONE - y[1])  # the nearer one
    return [(node, low, high, div(high * a, b, True))]

class Model:
    """A problem with its losses on the nodes of a lattice or, without one, all of them as nodes."""

    def __init__(self, runs, charges, lattice, cut, spread):
        self.runs, self.charges, self.steps, self.places, self.tops = runs, charges, [], [{0}], [()]
        model = cache(lambda *run: law(*run, cut))
        laws = [model(*run[:4]) for run in runs]
        self.units = [number(lattice["unit"])] if lattice else list(dict.fromkeys(a[1] for m in laws for a in m[0]))
        windows = lattice["windows"] if lattice else runs
        require(len(windows) == len(runs) and (not lattice or sign(self.units[0]) > 0), "a lattice is wrong")
        parts = cache(lambda n, depth, low, high: split(add((), n, depth), self.units[0], low, high, spread)
                      if lattice else [(-n * RADIX ** self.units.index(depth), low, high, high)])
        for (eps, _, count, *_), (mass, only, spare), window in zip(runs, laws, windows):
            atoms = [part for atom in mass for part in parts(*atom)]
            self.tops.append(add(self.tops[-1], count, eps))
            self.steps.append((atoms, only, spare))
            self.places.append(range(window[0], window[1] + 1) if lattice else {
                node + step for node in self.places[-1] for step, *_ in atoms})
            require(self.places[-1], "a window is empty")

    @cache
    def odds(self, k, node):
        """Bounds of min(1, y) and of y = e^(charge - loss); the second is no use from y = e on."""
        s = add(self.tops[k + 1], -1, self.charges[self.runs[k][-1]])
        for i, unit in enumerate(self.units):
            s = add(s, -(-node // RADIX**i % RADIX), unit)
        low, high = bounds(s)
        most = exp_neg(low, True) if low >= 0 else div(ONE * ONE, exp_neg(min(-low, ONE), False), True)
        return exp_neg(max(0, high), False), most if low >= -ONE else ONE * ONE

    def backward(self, up=True):
        """A bound of OptDel; the lower one holds where all losses are nodes. Keeps what is below windows at most worth."""
        w, self.below = dict.fromkeys(self.places[-1], 0), {}
        for k in reversed(range(len(self.runs))):
            if self.runs[k][-1] is not None:
                w = {node: max(x, ONE - self.odds(k, node)[not up]) for node, x in w.items()}
            (atoms, only, spare), behind, high, self.below[k] = self.steps[k], w, max(w), w[min(w)]
            w = {node: min(ONE, only[up] + spare * up + div(sum((m if up else a) * behind.get(
                node + step, ONE if node + step > high else self.below[k]) for step, a, m, _ in atoms), ONE, up))
                for node in self.places[k]}
        return w[0]

    def forward(self, up, rule=None):
        """Per stop, a bound of what ending there is worth: as the rule says, or at this stop only."""
        laws, only, dropped, worth = {0: (ONE, ONE)}, 0, 0, []
        for (k, (*_, stop)), (atoms, more, spare) in zip(enumerate(self.runs), self.steps):
            only, before, laws = only + mul(more[up], sum(a for a, _ in laws.values()), up), laws, {}
            for node, (a, b) in before.items():
                for step, low, high, other in atoms:
                    x, y = laws.get(node + step, (0, 0))
                    laws[node + step] = x + a * (high if up else low), y + b * other
            laws = {node: (div(a, ONE, up), div(b, ONE, True)) for node, (a, b) in laws.items()}
            here = self.places[k + 1]
            dropped += spare + sum(mul(laws.pop(node)[0], self.below[k] if up and node < min(here) else ONE, True)
                                   for node in [*laws] if node not in here)
            limit = rule[stop] if rule and stop is not None and stop < len(self.charges) - 1 else 0
            if stop is None or limit is None:
                continue
            gains, only = [only + dropped * up], 0 if rule else only
            above = exp_neg(max(0, bounds(add(((0, limit),), -1, self.charges[stop]))[0]), True) if limit else ONE
            for node, (a, b) in list(laws.items()):
                least, most = self.odds(k, node)
                gain = mul(a, ONE - least, True) if up else a - mul(b, most, True)
                # Whoever ends, it is a lower bound: here those with about the loss of the rule.
                if gain > 0 and (up or (a + (a >> 40)) * above >= (a - gain) * ONE):
                    gains.append(gain)
                    laws.pop(node) if rule else None
            worth.append(sum(gains))
        return worth

def number(m):
    x = Fraction(m.get("eps", m.get("exp_eps")))
    require(x >= ("exp_eps" in m) and len({*m} & {"eps", "exp_eps"}) == 1, "an eps is wrong")
    return add((), 1, [(0, x)] if "eps" in m else [(x, int(x > 1))])

def finite(outputs):
    """The largest loss, the P0-only mass, and how far below every loss is, with its P0-mass."""
    outputs = [tuple(map(Fraction, o)) for o in outputs]
    require(min(map(min, outputs)) >= 0 and [sum(x) for x in zip(*outputs)] == [1, 1], "a law is wrong")
    ratios = [(p / q, p) for p, q in outputs if p and q] or [(Fraction(1), Fraction(0))]
    loss = lambda x: add((), 1, [(max(x, 1 / x), 1 if x > 1 else -1)] if x != 1 else [])
    top = loss(max(ratios)[0])
    return top, sum(p for p, q in outputs if not q), tuple((add(top, -1, loss(x)), p) for x, p in ratios)

def read(problem):
    """The longest runs of equal mechanisms without a stop inside, and the charges."""
    runs, done, ends = [], 0, [s["after"] for s in problem["stops"]]
    for m in problem["mechanisms"]:
        require(not {*m} & {"noise", "losses"}, "mechanisms with noise or losses are not known here")
        require(len({*m} & {"eps", "exp_eps", "law"}) == 1, "a mechanism is wrong")
        eps, delta, outputs = finite(m["law"]) if "law" in m else (number(m), Fraction(m["delta"]), None)
        last = done + m["count"]
        require(0 <= delta <= 1 and last > done, "a delta or a count is wrong")
        while done < last:
            end = done + 1 if outputs else min([last, *(end for end in ends if end > done)])
            runs.append((eps, delta, end - done, outputs, ends.index(end) if end in ends else None))
            done = end
    require(ends == sorted({*ends}) and ends[0] > 0 and ends[-1] == done, "the stops are wrong")
    return runs, [number(s) for s in problem["stops"]]

def check(claim):
    """Raises Refuted with the first inequality that fails."""
    global P, ONE
    proof, (runs, charges) = claim["proof"], read(claim["problem"])
    stated = {f"single_stop {i + 1}": s for i, s in enumerate(claim.get("single_stop", []))}
    require(len(stated) in (0, len(charges)), "there must be one single_stop a stop")
    stated |= {"optdel": claim["optdel"]} | ({"lemma11": claim["lemma11"]} if "lemma11" in claim else {})
    least = min((x for s in stated.values() for x in map(Fraction, s.values()) if x > 0), default=1)
    P = 128 + proof.get("bits", 64) + max(run[2] for run in runs) + int(1 / least).bit_length()
    ONE = 1 << P
    rule = [x if x is None else Fraction(x) for x in proof["thresholds"]]
    require(len(rule) == len(charges), "there must be one threshold a stop")
    lattices = (None, None) if proof["method"] == "states" else (proof["upper"], proof.get("lower", proof["upper"]))
    up, low = (Model(runs, charges, x, Fraction(proof.get("cut", 0)), i == 0) for i, x in enumerate(lattices))
    most = up.backward()
    singles = list(zip(low.forward(False), (min(x, ONE) for x in up.forward(True))))
    for k, (*_, stop) in enumerate(runs):  # where no loss is above the charge nothing is gained
        leaks = any(run[1] for run in runs[:k + 1])
        if stop is not None and not leaks and sign(add(up.tops[k + 1], -1, charges[stop])) <= 0:
            singles[stop] = 0, 0
    found = {f"single_stop {i + 1}": ends for i, ends in enumerate(singles)}
    found["lemma11"] = total = [sum(ends) for ends in zip(*singles)]
    least = sum(low.forward(False, rule)) if lattices[0] else low.backward(False)
    found["optdel"] = max(least, *(s[0] for s in singles)), min(most, total[1], ONE)
    for name, (lower, upper) in found.items():  # OptDel is the last
        s = stated.get(name, {"lower": 0, "upper": total[1] + 1})
        holds = Fraction(s["lower"]) * ONE <= lower and upper <= Fraction(s["upper"]) * ONE
        require(holds, f"{name} is {s}, certified is {lower / ONE} to {upper / ONE}", Refuted)
    require(upper <= Fraction(claim.get("at_most", 1)) * ONE, f"at_most: certified is {upper / ONE}", Refuted)
    require(lower > Fraction(claim.get("more_than", -1)) * ONE, f"more_than: certified is {lower / ONE}", Refuted)

def main(name):
    try:
        with sys.stdin if name == "-" else open(name, encoding="utf-8") as file:
            data = json.load(file, parse_float=Fraction)
        require(data["schema_version"] == 1 and data["claims"], "this is no certificate of version 1")
        for claim in data["claims"]:
            check(claim)
    except (Refuted, ArithmeticError, AttributeError, LookupError, OSError, TypeError, ValueError) as fault:
        print(f"{name}: {type(fault).__name__}: {fault}", file=sys.stderr)
        return 1 if isinstance(fault, Refuted) else 2
    print(f"{name}: all of it holds")
    return 0

if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) == 2 else "-"))
