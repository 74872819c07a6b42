#!/usr/bin/env python3
"""Checks certificates with noise, by another method than checkrr: certify_noise.py [--one-order] proof.json

It reads files as certify.py does, has its exit codes, and needs no more than Python itself. It ignores the proofs, and
finds bounds by itself, on ever finer nodes, until all that is stated is proved, or something is refuted.

All that matters of a pair of laws (P, Q) is H(x), the largest P(S) - x·Q(S) of an event S. It is convex in x, and
linear between nodes x = e^(j·unit) if all losses are nodes.

* Upper ends are those of the pair on nodes that has the same H at nodes. Between nodes it has a larger one.
* Lower ends are those of a rule that sees of each output only between which nodes its P/Q is, and of an event S: P(S) -
  e^E·Q(S) of what ends at each stop. Both probabilities are found by themselves.

Masses are whole multiples of 10^-DIGITS, rounded down or up, and products of laws are products of long numbers, which
are exact. H comes from decimals of 64 digits and is off by less than 10^-40, and every mass of a step is rounded
outward by one more of its last digits than need be, which is far more than that.
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
from certify import Unknown, spend
from certify_pairs import INFINITE, NEAR, pairs_of, real

DIGITS = 30
ONE, SLOT = 10**DIGITS, 2 * DIGITS + 8
FAR = 35  # what one step loses beyond it is taken for infinite
MOST = Decimal(200)  # at a larger charge, as at this one, what may happen under Q gains nothing
EXACT = decimal.Context(prec=decimal.MAX_PREC, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN, traps=[decimal.Inexact])

# Laws on nodes.

# rows are the P-masses of nodes and, of lower laws, their Q-masses; the first node is first halves of a unit above 0.
# only is the P-mass where Q is 0. Upper P-masses are rounded up, lower ones down, and Q-masses up.
Law = namedtuple("Law", "first rows only")

def div(a, up):
    return -(-a // ONE) if up else a // ONE

def product(xs, ys):
    """Sums of products, as one product of long numbers."""
    a, b = (Decimal("".join(f"{x:0{SLOT}d}" for x in row)) for row in (xs, ys))
    text = f"{EXACT.multiply(a, b):f}".zfill(SLOT * (len(xs) + len(ys) - 1))
    return [int(text[i:i + SLOT]) for i in range(0, len(text), SLOT)]

def times(x, y, up, cut):
    """The law of both, in which what is rarer than cut, on either side, has no nodes of its own."""
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
    """An upper and a lower law: masses of the first follow from how steep H is between nodes."""
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

def certified(stages, charges, idle, unit, cut):
    """Bounds of all numbers that may be stated, times ONE."""
    one = cache(lambda pair: on_nodes(pair, unit, cut))
    several = cache(lambda pair, n, up: power(one(pair)[not up], n, up, cut))
    upper, lower = ([reduce(lambda x, y: times(x, y, up, cut), [several(*part, up) for part in stage])
                     for stage in stages] for up in (True, False))
    most, rule, above = backward(upper, charges, idle, unit, cut)
    least, below = forward(lower, charges, rule, cut)
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
            rule[k - 1] = whole(min(unit * (here.first + 2 * ends[0]) / 2, MOST).exp(), True) if ends else None
            w = list(map(max, worth[k - 1], w))
    return w[0], rule, singles

def forward(laws, charges, rule, cut):
    """Lower bounds of OptDel, by a rule, and of single stops."""
    going = alone = Law(0, [[ONE], [ONE]], 0)
    total, singles = 0, []
    for k, (law, charge) in enumerate(zip(laws, charges)):
        odds = whole(min(charge, MOST).exp(), True) + 1
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
    counts = [{}]
    for entry, n, stop in runs:
        counts[-1][entry] = counts[-1].get(entry, 0) + n
        if stop is not None:
            counts.append({})
    stages = [[pairs_of(c.mechanisms[entry]._replace(count=n)) for entry, n in stage.items()] for stage in counts[:-1]]
    tops = accumulate(sum(INFINITE if p.only else p.top * n for p, n in stage) for stage in stages)
    idle = [top + NEAR * max(1, top) <= charge for top, charge in zip(tops, charges)]  # nothing is gained at that stop
    width = min((y - x for x, y in c.stated.values() if x < y), default=Fraction(1, 10**6))
    unit, cut = Decimal(1) / 32, max(1, int(width * ONE / 100_000))
    while True:
        try:
            return certify.compare_all(c, certified(stages, charges, idle, unit, cut), ONE)
        except certify.NotProved:
            unit /= 2

def main(args):
    return certify.main(args, __doc__, check)

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
