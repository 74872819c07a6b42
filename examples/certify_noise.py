#!/usr/bin/env python3
"""Checks certificates with noise, by a method of its own: certify_noise.py [--one-order] proof.json

It reads certificates as certify.py does, has the same exit codes, and needs nothing but Python's standard library. It
looks at the problem and at what is claimed, not at the proof, and finds bounds itself.

A mechanism is a pair of laws (P, Q). All that it does is told by H(x), the largest P(S) - x·Q(S) of any event S, a
convex function of x > 0, and that is linear between the nodes x = e^(j·unit) for a pair on nodes. So

* the upper end is that of the pair on nodes with the same H there: between nodes it has the larger H;
* the lower end is that of a rule which sees of each output only between which two nodes its P/Q is, and P(end in S) -
  e^E·Q(end in S) of it, with P- and Q-probabilities by themselves.

Units are halved until what is claimed is decided. Laws of several mechanisms are products of whole numbers, which are
exact: masses are multiples of 10^-DIGITS, rounded down or up. H is found in decimals of 60 digits: what is rounded there
is less than 10^-40, and much less than the unit by which every mass of a step is rounded further.
"""
import decimal
import sys
from bisect import bisect_left
from collections import namedtuple
from decimal import Decimal, ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction
from functools import cache, reduce
from itertools import accumulate

import certify
from certify import RANGE, Unknown, require, spend

decimal.setcontext(decimal.Context(prec=64, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN))
DIGITS = 30
ONE, SLOT = 10**DIGITS, 2 * DIGITS + 8
NEAR = Decimal("1e-50")  # how close numbers that are found by steps are
FAR = 35  # what one step loses beyond it is taken for infinite
MOST_ATOMS, MOST_RECORDS = 1 << 8, 10**8
ROOT_TAU = (2 * Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628")).sqrt()
EXACT = decimal.Context(prec=decimal.MAX_PREC, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN, traps=[decimal.Inexact])

def real(x):
    return Decimal(x.numerator) / x.denominator

# Pairs of laws.

# tail(x) is (P(S), Q(S), slack) of an event S for which H(x) is at most P(S) - x·Q(S) + slack: about that with P/Q > x.
# only is the P-mass where Q is 0, unseen the Q-mass where P is 0. Elsewhere losses are at most top, and at least -bottom.
INFINITE = Decimal("inf")
Pair = namedtuple("Pair", "tail only unseen top bottom", defaults=(Decimal(0), Decimal(0), INFINITE, INFINITE))

ALL, NOTHING = (Decimal(1), Decimal(1), Decimal(0)), (Decimal(0), Decimal(0), Decimal(0))

@cache
def anchor(z):
    """The density of a normal number at z >= 0, and its probability to be beyond."""
    n, square, density = 1, z * z, (-z * z / 2).exp() / ROOT_TAU
    total = term = z * density
    while term > Decimal("1e-62") or n < 2 * square:
        n += 2
        term = term * square / n
        total += term
    return density, Decimal("0.5") - total

def beyond(z):
    """The probability of a normal number above z, by the Taylor series around the next eighth.

    The n-th derivative of the density is at most sqrt(n!): terms from the 35th on are less than 10^-62 together."""
    if z < 0:
        return 1 - beyond(-z)
    if z > 16:
        return Decimal(0)  # less than 10^-57
    spend(1 << 9, 512)
    near = round(8 * z) / Decimal(8)
    step, before, (derivative, total), power = z - near, Decimal(0), anchor(near), Decimal(1)
    for n in range(35):
        power = power * step / (n + 1)
        total -= derivative * power
        derivative, before = -near * derivative - n * before, derivative
    return total

def normal(scale, amounts):
    """Noise around 0 under Q and, under P, around a random amount: rising (amount, probability), or else 0."""
    rest, amounts = 1 - sum(p for _, p in amounts), [(a / scale, p) for a, p in amounts]
    place = amounts[-1][0] / 2

    def tail(x):
        """At any place S has a slack of |P/Q - x| there: in between P and x·Q differ by no more than that part of Q."""
        nonlocal place
        if x <= rest:
            return ALL
        for _ in range(100):  # ln of the ratio rises, and is convex
            parts = [(p * (a * (place - a / 2)).exp(), a) for a, p in amounts]
            ratio = sum(part for part, _ in parts)
            if abs(ratio + rest - x) <= x * NEAR:
                without = beyond(place)
                there = rest * without + sum(p * beyond(place - a) for a, p in amounts)
                return there, without, abs(ratio + rest - x)
            place -= (ratio / (x - rest)).ln() * ratio / sum(part * a for part, a in parts)
        raise Unknown("this noise is not known here")
    return Pair(tail, bottom=-rest.ln() if rest else INFINITE)

def laplace(d):
    """Noise of scale 1 around d under P, and around 0 under Q."""
    def tail(x):
        y = (x.ln() + d) / 2
        if y <= 0 or y >= d:
            return ALL if y <= 0 else NOTHING
        return 1 - (y - d).exp() / 2, (-y).exp() / 2, abs((2 * y - d).exp() - x)
    return Pair(tail, top=d, bottom=d)

def swap(d, rate):
    """A record of a Poisson sample that is replaced: noise around d or -d with the probability rate, or else around 0."""
    rest, far = 1 - rate, (-d * d / 2).exp() * rate

    def tail(x):
        if x < 1:
            return turned(tail)(x)
        more = rest * (x - 1)
        y = ((more + (more * more + 4 * x * far * far).sqrt()) / (2 * far)).ln() / d
        ratio = (rest + far * (d * y).exp()) / (rest + far * (-d * y).exp())
        same = rest * beyond(y)
        return same + rate * beyond(y - d), same + rate * beyond(y + d), abs(ratio - x)
    return Pair(tail)

def exchange(d, rate):
    """The same if another record is in its place where it is not in the batch."""
    rest = 1 - rate

    def tail(x):
        if x < 1:
            return turned(tail)(x)
        y = ((x - rest) / rate).ln() / (2 * d)
        return rate * beyond(y - d) + rest * beyond(y + d), beyond(y + d), abs(rest + rate * (2 * d * y).exp() - x)
    return Pair(tail)

def turned(tail):
    """That of (Q, P)."""
    def other(x):
        p, q, slack = tail(1 / x)
        return 1 - q, 1 - p, slack * x
    return other

def back(pair):
    return Pair(turned(pair.tail), pair.unseen, pair.only, pair.bottom, pair.top)

def finite(atoms):
    """Outputs with the probabilities (p, q)."""
    inner = sorted(((p / q, p, q) for p, q in atoms if p and q), reverse=True)
    only, unseen = (sum(x[i] for x in atoms if not x[1 - i]) for i in (0, 1))
    falls = [-x[0] for x in inner]
    sums = [list(accumulate((x[i] for x in inner), initial=Decimal(start))) for i, start in ((1, only), (2, 0))]

    def tail(x):
        n = bisect_left(falls, -x)
        return sums[0][n], sums[1][n], 0
    losses = [x[0].ln() for x in inner[:1] + inner[-1:]] or [Decimal(0)]
    return Pair(tail, only, unseen, losses[0], -losses[-1])

def joint(atoms, pair):
    """One after the other, of which the first has few outputs."""
    def tail(x):
        total = [0, 0, 0]
        for p, q in atoms:
            parts = pair.tail(x * q / p) if p and q else ALL if p else NOTHING
            total = [a + b * m for a, b, m in zip(total, parts, (p, q, p))]
        return total
    first = finite(atoms)
    only, unseen = (x + y - x * y for x, y in ((first.only, pair.only), (first.unseen, pair.unseen)))
    return Pair(tail, only, unseen, first.top + pair.top, first.bottom + pair.bottom)

def mixed(pair, rate):
    """A record that is in a sample: P is that of the pair with the probability rate, and Q otherwise."""
    if rate == 1:
        return pair
    def tail(x):
        inner = 1 + (x - 1) / rate
        p, q, slack = pair.tail(inner) if inner > 0 else ALL
        return rate * p + (1 - rate) * q, q, rate * slack
    low = INFINITE if pair.unseen else pair.bottom
    top, bottom = ((1 - rate + rate * x.exp()).ln() for x in (pair.top, -low))
    return Pair(tail, rate * pair.only, Decimal(0), top, -bottom)

def told(parts):
    """One of several pairs, each with a probability, that tells which."""
    def tail(x):
        return [sum(w * a for (w, _), a in zip(parts, column)) for column in zip(*(pair.tail(x) for _, pair in parts))]
    return Pair(tail, top=max(pair.top for _, pair in parts), bottom=max(pair.bottom for _, pair in parts))

# Mechanisms.

def outputs(m):
    """The probabilities (p, q) of all outputs, if they are few; else None."""
    if m.law:
        return [(real(p), real(q)) for p, q in m.law]
    if m.eps:
        ratio, keep = real(m.eps[0]) if m.eps[1] else real(m.eps[0]).exp(), 1 - real(m.delta)
        likely, unlikely = keep * ratio / (1 + ratio), keep / (1 + ratio)
        return [(1 - keep, Decimal(0)), (likely, unlikely), (unlikely, likely), (Decimal(0), 1 - keep)]
    if len(m.noise) == 2:
        atoms = [(real(p), real(p) * (-real(loss)).exp()) for loss, p in m.noise[0]]
        excess = max(1, sum(q for _, q in atoms))
        missing = real(1 - sum(p for _, p in m.noise[0])), max(NEAR, 1 - sum(q for _, q in atoms))
        atoms = [(p, q / excess) for p, q in atoms] + [(missing[0], Decimal(0)), (Decimal(0), missing[1])]
        return [(q, p) for p, q in atoms] if m.noise[1] else atoms
    return None

def discrete(scale):
    """Normal noise on whole numbers, around 1 under P."""
    last = int(18 * scale) + 2  # beyond is less than 10^-60
    half = [(-(k / scale)**2 / 2).exp() for k in map(Decimal, range(last + 1))]
    all_of_it = 2 * sum(half) - 1
    mass = [x / all_of_it for x in half[:0:-1] + half]
    return finite(list(zip(mass, mass[1:])))._replace(top=INFINITE, bottom=INFINITE)

def batch_of(records, most, rate):
    """How probable it is that a sample of all but one record is a full batch, and then that the last one is in it."""
    require(records <= MOST_RECORDS, "there are too many records here", Unknown)
    if rate == 1:
        return Decimal(1), Decimal(most) / records
    n, odds = records - 1, rate / (1 - rate)
    start = min(n, int(records * rate))
    total, full, left = Decimal(0), Decimal(0), Decimal(0)
    for step in (1, -1):
        k, weight = start, Decimal(1)
        while 0 <= k <= n and weight > Decimal("1e-62"):
            if step > 0 or k < start:
                total += weight
                if k >= most:
                    full, left = full + weight, left + weight / (k + 1)
            weight *= odds * (n - k) / (k + 1) if step > 0 else k / (odds * (n - k + 1))
            k += step
    require(full * Decimal("1e12") > total, "full batches are too rare here", Unknown)
    return full / total, rate * most * left / full

def contributed(noise):
    """What all of a group add: {amount: probability}."""
    _, _, sampling, adds, group, *_ = noise
    one = {Fraction(0): 1 - sampling}
    for a, p in adds or [(Fraction(1), Fraction(1))]:
        one[a] = one.get(a, 0) + p * sampling
    def plus(x, y):
        total = {}
        for a, p in x.items():
            for b, q in y.items():
                total[a + b] = total.get(a + b, 0) + p * q
        require(len(total) <= MOST_ATOMS, "there are too many amounts here", Unknown)
        return total
    if sampling == 1 and len(adds) <= 1:
        return {max(one) * max(1, group): Fraction(1)}
    return reduce(plus, [one] * max(1, group))

def square(m):
    """The sum of 1/σ² over these mechanisms if they are Gaussian noise around something certain, or else None."""
    if m.noise and m.noise[0] == "gaussian" and len(m.noise) > 3:
        _, scale, sampling, adds, _, batch, *_ = m.noise
        if sampling == 1 and len(adds) <= 1 and not batch:
            one = scale[0] if isinstance(scale, tuple) else 1 / scale**2
            return m.count * one * max(contributed(m.noise))**2
    return None

def with_noise(noise):
    """What noise makes of a record that is there under P."""
    law, scale, sampling, _, _, batch, records, replaced, _ = noise
    rate = real(sampling)
    if law != "gaussian":
        group = max(contributed(noise[:2] + (Fraction(1),) + noise[3:]))
        return mixed(laplace(real(group / scale)) if law == "laplace" else discrete(real(scale)), rate)
    d = 1 / real(scale)
    if not batch:
        return swap(d, rate) if replaced else normal(
            real(scale), sorted((real(a), real(p)) for a, p in contributed(noise).items() if a and p))
    full, left = batch_of(records, batch, rate)
    cut = exchange(d, left) if replaced else mixed(normal(1, [(2 * d, Decimal(1))]), left)
    plain = (swap if replaced else lambda d, rate: mixed(normal(1, [(d, Decimal(1))]), rate))(d, rate)
    return told([(1 - full, plain), (full, cut)]) if full < 1 else cut

def in_sample(noise):
    """Several mechanisms that see one sample: Gaussian noise is one, and of others one may have many outputs."""
    rate, parts, _ = noise
    atoms, pairs, sharp = [(Decimal(1), Decimal(1))], [], Fraction(0)
    for m in parts:
        few = outputs(m)
        if square(m) is not None:
            sharp += square(m)
        elif few is None:
            pairs += [with_noise(m.noise)] * m.count
        else:
            for _ in range(m.count):
                atoms = [(p * x, q * y) for p, q in atoms for x, y in few if p * x or q * y]
                require(len(atoms) <= MOST_ATOMS, "what sees one sample has too many outputs here", Unknown)
    if sharp:
        pairs.append(normal(1, [(real(sharp).sqrt(), Decimal(1))]))
    require(len(pairs) <= 1, "these mechanisms that see one sample are not known here", Unknown)
    return mixed(joint(atoms, pairs[0]) if pairs else finite(atoms), real(rate))

def pair_of(m):
    """The pair of one mechanism, or of Gaussian noise that of a part of all, and how often it is there."""
    few = outputs(m)
    if few is not None:
        return finite(few), m.count
    require(m.noise[0] != RANGE, "mechanisms with a range are not known here", Unknown)
    if square(m) is not None:
        n = min(m.count, 1 + int(square(m) / 9))
        return normal(1, [((real(square(m)) / n).sqrt(), Decimal(1))]), n
    pair = (in_sample if len(m.noise) == 3 else with_noise)(m.noise)
    pair = back(pair) if m.noise[-1] else pair
    return pair._replace(tail=cache(pair.tail)), m.count

# Laws on nodes.

# rows are the P-masses of nodes, of lower laws their Q-masses, too, of which the first node is first half units above 0;
# only is P-mass that Q does not have. Upper P-masses are rounded up, lower ones down, and Q-masses up.
Law = namedtuple("Law", "first rows only")

def div(a, up):
    return -(-a // ONE) if up else a // ONE

def product(xs, ys):
    """Sums of products, as one product of long numbers."""
    a, b = (Decimal("".join(f"{x:0{SLOT}d}" for x in row)) for row in (xs, ys))
    text = f"{EXACT.multiply(a, b):f}".zfill(SLOT * (len(xs) + len(ys) - 1))
    return [int(text[i:i + SLOT]) for i in range(0, len(text), SLOT)]

def times(x, y, up, cut):
    """The law of both, of which what is rarer than cut, on either side, is not on nodes of its own."""
    spend(len(x.rows) * (len(x.rows[0]) + len(y.rows[0])) << 5, 512)
    only = div(x.only * (sum(y.rows[0]) + y.only) + sum(x.rows[0]) * y.only, up)
    rows = [[div(a, up or i) for a in product(*pair)] for i, pair in enumerate(zip(x.rows, y.rows))]
    return trimmed(Law(x.first + y.first, rows, only), up, cut)

def trimmed(law, up, cut):
    """In upper laws what loses most is P-only, and what loses least loses more; in lower ones it loses less, or is left
    out."""
    first, rows, only = law
    last = len(rows[0])
    low = min(bisect_left(list(accumulate(rows[0])), cut), last - 1)
    high = max(last - bisect_left(list(accumulate(reversed(rows[0]))), cut), low + 1)
    for row in rows:
        below, above = sum(row[:low]), sum(row[high:])
        row[:] = row[low:high]
        if up:
            row[0] += below
            only += above
        else:
            row[-1] += above
    return Law(first + 2 * low, rows, only)

def on_nodes(pair, unit, cut):
    """An upper and a lower law."""
    down, most = (-unit).exp(), int(FAR / unit)
    def at(j):
        x = (j * unit).exp()
        p, q, slack = pair.tail(x)
        return p, q, max(Decimal(0), p - x * q + slack)
    least, above, below = Decimal(cut) / ONE, [at(0)], [at(-1)]
    while above[-1][0] - pair.only > least and len(above) < most:
        above.append(at(len(above)))
    while 1 - below[-1][0] > least and len(below) < most:
        below.append(at(-1 - len(below)))
    below.reverse()
    ps, qs, hs = zip(*below, *above)
    falls = [(x - y) / (1 - down) for x, y in zip(hs, hs[1:])] + [0]
    upper = [1 - hs[0] - down * falls[0]] + [x - down * y for x, y in zip(falls, falls[1:])]
    cells = [[x - y for x, y in zip(ps, (*ps[1:], pair.only))], [x - y for x, y in zip(qs, (*qs[1:], 0))]]
    lower = [[max(0, whole(x, i) + 2 * i - 1) for x in row] for i, row in enumerate(cells)]
    first = -2 * len(below)
    return (Law(first, [[max(0, whole(x, True)) + 1 for x in upper]], whole(hs[-1], True) + 1),
            Law(first + 1, lower, max(0, whole(pair.only, False) - 1)))

def whole(x, up):
    return int((Decimal(x) * ONE).to_integral_value(ROUND_CEILING if up else ROUND_FLOOR))

def power(law, n, up, cut):
    half = power(law, n // 2, up, cut) if n > 1 else None
    twice = times(half, half, up, cut) if half else law
    return times(twice, law, up, cut) if half and n % 2 else twice

# A claim.

def certified(stages, charges, unit, cut):
    """Bounds of all numbers that may be stated, times ONE."""
    known = {}
    def law_of(pair, n, up):
        if pair not in known:
            known[pair] = on_nodes(pair, unit, cut)
        if (pair, n, up) not in known:
            known[pair, n, up] = power(known[pair][not up], n, up, cut)
        return known[pair, n, up]

    def nodes(up):
        return [reduce(lambda x, y: times(x, y, up, cut), [law_of(pair, n, up) for pair, n in parts]) for parts, _ in stages]
    most, rule, above = backward(nodes(True), charges, [x for _, x in stages], unit, cut)
    least, below = forward(nodes(False), charges, rule, cut)
    singles = list(zip(below, above))
    total = [sum(x) for x in zip(*singles)]
    found = {f"single_stop {i + 1}": ends for i, ends in enumerate(singles)} | {"lemma11": total}
    return found | {"optdel": (max(least, *below), min(most, total[1], ONE))}

def pays(law, charge, unit):
    """What it is worth to end on each node, rounded up."""
    odds, down = (charge - unit * law.first / 2).exp(), (-unit).exp()
    for _ in law.rows[0]:
        yield max(0, whole(1 - odds, True) + 1) if odds <= 1 else 1
        odds *= down

def backward(laws, charges, idle, unit, cut):
    """An upper bound of OptDel, from which P/Q on runs end at each stop, and upper bounds of single stops."""
    before = list(accumulate(laws, lambda x, y: times(x, y, True, cut), initial=Law(0, [[ONE]], 0)))
    worth = [[0] * len(law.rows[0]) if is_idle else list(pays(law, charge, unit))
             for law, charge, is_idle in zip(before[1:], charges, idle)]
    singles = [0 if is_idle else min(ONE, law.only + sum(div(a * b, True) for a, b in zip(law.rows[0], pay)))
               for law, pay, is_idle in zip(before[1:], worth, idle)]
    w, rule = worth[-1], [None] * len(laws)
    for k in reversed(range(len(laws))):
        here, law, start = before[k], laws[k], (before[k].first + laws[k].first - before[k + 1].first) // 2
        n = len(law.rows[0])
        places = range(start, start + len(here.rows[0]) + n - 1)
        behind = [w[0] if i < 0 else w[i] if i < len(w) else ONE for i in places]
        w = [min(ONE, law.only + div(x, True)) for x in product(behind, law.rows[0][::-1])[n - 1:1 - n or None]]
        if k:
            ends = [i for i, (x, y) in enumerate(zip(worth[k - 1], w)) if 0 < x >= y]
            rule[k - 1] = whole((unit * (here.first + 2 * ends[0]) / 2).exp(), True) if ends else None
            w = list(map(max, worth[k - 1], w))
    return w[0], rule, singles

def forward(laws, charges, rule, cut):
    """Lower bounds: of the rule, and of single stops. A rule sees losses but for what lower nodes tell."""
    going = alone = Law(0, [[ONE], [ONE]], 0)
    total, singles = 0, []
    for k, (law, charge) in enumerate(zip(laws, charges)):
        odds = whole(charge.exp(), True) + 1
        going, alone = times(going, law, False, cut), times(alone, law, False, cut)
        singles.append(alone.only + sum(max(0, a - div(b * odds, True)) for a, b in zip(*alone.rows)))
        for i, (a, b) in enumerate(zip(*going.rows)):
            gain = a - div(b * odds, True)
            is_end = k == len(laws) - 1 or rule[k] is not None and a * ONE >= b * rule[k]
            if gain > 0 and is_end:
                total, going.rows[0][i], going.rows[1][i] = total + gain, 0, 0
    return total + going.only, singles

def check(c):
    """Raises Refuted with the first inequality that does not hold, or Unknown."""
    runs = list(certify.runs_of(c))
    certify.check_form(c, runs)
    try:
        decide(c, runs)
    except (ArithmeticError, RecursionError):
        raise Unknown("there are numbers that are not known here") from None

def decide(c, runs):
    charges = [real(x).ln() if is_log else real(x) for _, (x, is_log) in c.stops]
    width = min((y - x for x, y in c.stated.values() if x < y), default=Fraction(1, 10**6))
    cut = max(1, int(width * ONE / 100_000))
    counts = [{}]
    for entry, n, stop in runs:
        counts[-1][entry] = counts[-1].get(entry, 0) + n
        if stop is not None:
            counts.append({})
    known = {}
    def pair(entry, n):
        m = c.mechanisms[entry]._replace(count=n)
        return known.get(m) or known.setdefault(m, pair_of(m))
    parts = [[pair(*x) for x in stage.items()] for stage in counts[:-1]]
    tops = accumulate(INFINITE if any(p.only for p, _ in stage) else sum(p.top * n for p, n in stage) for stage in parts)
    stages = [(stage, top + NEAR <= charge) for stage, top, charge in zip(parts, tops, charges)]
    unit = Decimal(1) / 32
    while True:
        try:
            return certify.compare_all(c, certified(stages, charges, unit, cut), ONE)
        except certify.NotProved:
            unit /= 2

if __name__ == "__main__":
    sys.exit(certify.main(sys.argv[1:], __doc__, check))
