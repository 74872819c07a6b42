"""What certify_noise.py knows of mechanisms, from docs/dominating-pairs.md: pairs of laws (P, Q) by their tails.

H(x) is the largest P(S) - x·Q(S) of an event S. Decimals have 64 digits: H is off by less than 10^-40 where x is at
most e^35.
"""
import decimal
from bisect import bisect_left
from collections import namedtuple
from decimal import Decimal
from fractions import Fraction
from functools import cache, reduce
from itertools import accumulate

from certify import Unknown, require, spend

decimal.setcontext(decimal.Context(prec=64, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN))
NEAR = Decimal("1e-50")  # how close numbers that are found by steps are
INFINITE = Decimal("inf")
MOST_ATOMS, MOST_RECORDS = 1 << 8, 10**8
ROOT_TAU = (2 * Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628")).sqrt()

def real(x):
    return Decimal(x.numerator) / x.denominator

# Pairs of laws.

# tail(x) is (P(S), Q(S), slack) of an event S for which H(x) is at most P(S) - x·Q(S) + slack: about that with P/Q > x.
# only is the P-mass where Q is 0, unseen the Q-mass where P is 0. Elsewhere losses are from -bottom to top.
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

def normal(rest, amounts):
    """Noise around 0 under Q and, under P, around one of rising (amount, probability), or 0 with that of rest."""
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

def around(d):
    """Noise of scale 1 around d under P, and around 0 under Q."""
    return normal(Decimal(0), [(d, Decimal(1))])

def laplace(d):
    """Laplace noise of scale 1 around d under P, and around 0 under Q."""
    def tail(x):
        y = (x.ln() + d) / 2
        if y <= 0 or y >= d:
            return ALL if y <= 0 else NOTHING
        return 1 - (y - d).exp() / 2, (-y).exp() / 2, abs((2 * y - d).exp() - x)
    return Pair(tail, top=d, bottom=d)

def swap(d, rate):
    """A record of a Poisson sample that is replaced: noise around d or -d, with the probability rate, or else 0."""
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
        ratio, delta, keep = real(m.eps[0]) if m.eps[1] else real(m.eps[0]).exp(), real(m.delta), real(1 - m.delta)
        likely, unlikely = keep * ratio / (1 + ratio), keep / (1 + ratio)
        return [(delta, Decimal(0)), (likely, unlikely), (unlikely, likely), (Decimal(0), delta)]
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
    if not batch and replaced:
        return swap(d, rate)
    if not batch:
        adds = contributed(noise)
        return normal(real(adds.pop(0, Fraction(0))), [(real(a) * d, real(adds[a])) for a in sorted(adds)])
    full, left = batch_of(records, batch, rate)
    cut = exchange(d, left) if replaced else mixed(around(2 * d), left)
    whole = swap(d, rate) if replaced else mixed(around(d), rate)
    return told([(1 - full, whole), (full, cut)]) if full < 1 else cut

def in_sample(noise):
    """Several mechanisms that see one sample: Gaussian noise is one, and of others one may have many outputs."""
    rate, parts, _ = noise
    atoms, pairs, sharp = [(Decimal(1), Decimal(1))], [], Fraction(0)
    for m in parts:
        few = outputs(m)
        if square(m) is not None:
            sharp += square(m)
        elif few is None:
            require(not pairs and m.count == 1, "these mechanisms that see one sample are not known here", Unknown)
            pairs.append(with_noise(m.noise))
        else:
            for _ in range(m.count):
                spend(len(atoms) * len(few) << 5, 512)
                atoms = [(p * x, q * y) for p, q in atoms for x, y in few if p * x or q * y]
                require(len(atoms) <= MOST_ATOMS, "what sees one sample has too many outputs here", Unknown)
    if sharp:
        pairs.append(around(real(sharp).sqrt()))
    require(len(pairs) <= 1, "these mechanisms that see one sample are not known here", Unknown)
    return mixed(joint(atoms, pairs[0]) if pairs else finite(atoms), real(rate))

@cache
def pair_of(m):
    """The pair of one mechanism."""
    few = outputs(m)
    if few is not None:
        return finite(few)
    pair = (in_sample if len(m.noise) == 3 else with_noise)(m.noise)
    pair = back(pair) if m.noise[-1] else pair
    return pair._replace(tail=cache(pair.tail))

@cache
def pairs_of(m):
    """The pair of all of them or, if that loses much, of a part, and how often it is there."""
    if square(m) is None:
        return pair_of(m._replace(count=1)), m.count
    n = min(m.count, 1 + int(square(m) / 9))
    return around((real(square(m)) / n).sqrt()), n
