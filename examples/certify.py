#!/usr/bin/env python3
"""Checks certificates of checkrr, knowing nothing but docs/certificate.md: certify.py [--one-order] proof.json

Exit codes: 0 all of it holds, 1 something is refuted or not proved, 2 this is no certificate, 3 it cannot be said here:
there is noise, nothing is claimed for neighbours in the other order, or it would take too long. Numbers are exact
rationals, or multiples of 2^-P, rounded down or up (False or True) as a bound needs it.
"""
import argparse
import json
import re
import sys
from collections import namedtuple
from decimal import Context, Decimal, ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction
from functools import cache
from itertools import accumulate
from math import comb, exp, fsum, gcd, isfinite, log as ln

P, ONE = 0, 1  # set for every claim; ONE is 1
ENDS, RADIX = (False, True), 1 << 64  # more than any coefficient of a state

class Faulty(ValueError):
    """This is no certificate, or more than the format allows."""

class Refuted(Exception):
    """Something that is claimed is not certified."""

class NotProved(Refuted):
    """It may be right all the same."""

class Unknown(Exception):
    """This program cannot say."""

def require(holds, fault, kind=Faulty):
    if not holds:
        raise kind(fault)

# Limits of the format, then those of this program, which has no fast arithmetic.
MAX_FILE, MAX_PARTS, MAX_RUN, MAX_DIGITS, MAX_WHOLE = 1 << 26, 1 << 22, 1 << 20, 100_000, 1 << 30
MAX_LOGS, MAX_LOG_BITS, MAX_SUM_BITS = 1 << 12, 1 << 21, 1 << 30
MAX_OUTPUTS, MAX_LAWS, MAX_WINDOW = 1 << 10, 1 << 16, 1 << 25
MAX_AMOUNTS, MAX_BITS = 1 << 7, 1 << 12
MAX_ATOMS, MAX_STATES, MAX_MOVES = 1 << 21, 1 << 21, 1 << 22
OWN_PARTS, OWN_BITS, OWN_PRECISION, OWN_STEPS, OWN_BYTES = 1 << 20, 1 << 22, 1 << 17, 1 << 28, 3 << 27
OWN_DIGITS = 1 << 12  # bits below 1 of what is stated
used = {"bits": 0, "steps": 0, "bytes": 0}

def use(what, n, most):
    used[what] += n
    require(used[what] <= most, "it would take too long, or too much memory, here", Unknown)

def spend(steps, bits=0):
    """Notes work with numbers of so many bits, or P, before it is done."""
    use("steps", steps * max(1, (bits or P) / 512)**1.6, OWN_STEPS)

def hold(n, bits=0):
    """Notes memory for n numbers, and what goes with them."""
    use("bytes", n * (250 + (bits or P) // 8), OWN_BYTES)

# The file.

class Literal(str):
    """A number without quotes, as it is written."""
    __slots__ = ()

def once(pairs):
    """An object, no key of which is there twice."""
    require(len(dict(pairs)) == len(pairs), "a key is given twice")
    return dict(pairs)

def no_number(name):
    raise Faulty(f"{name} is no number")

RUN = re.compile(rb'[^,:"{}\[\]]+')  # of a value, or of space

def load(data):
    """What is in a file, in which there are few things."""
    parts = sum(data.count(x) for x in (b",", b"[", b"{"))
    require(len(data) <= MAX_FILE, f"the file is too long, must have at most {MAX_FILE} bytes")
    require(parts <= MAX_PARTS, f"the file has {parts} commas and opening brackets, must have at most {MAX_PARTS}")
    require(all(run.end() - run.start() <= MAX_RUN for run in RUN.finditer(data)),
            f"the file has a value or a space of more than {MAX_RUN} bytes")
    require(parts <= OWN_PARTS, "the file is too long for this program", Unknown)
    require(data.isascii(), "there is a byte that is not ASCII")
    try:
        return json.loads(data.decode("ascii"), parse_int=Literal, parse_float=Literal, parse_constant=no_number,
                          object_pairs_hook=once)
    except RecursionError:
        raise Faulty("values are nested too deep") from None

def fields(at, value, *keys):
    """An object with these keys, of which those with a question mark may be missing, and no others."""
    require(type(value) is dict, f"{at} must be an object")
    for key in keys:
        require(key[0] == "?" or key in value, f"{at} has no {key}")
    for key in value:
        require(key in keys or "?" + key in keys, f"{at} has the unknown key {ascii(key)[:40]}")
    return value

def each(at, value, read):
    require(type(value) is list, f"{at} must be a list")
    return [read(f"{at}[{i}]", x) for i, x in enumerate(value)]

def digits(text):
    """A whole number, in much less than the square of its length."""
    if len(text) < 2000:
        return int(text)
    half = len(text) // 2
    return digits(text[:-half]) * 10**half + digits(text[-half:])

NUMBER = re.compile(r"([0-9]+)(?:/([0-9]+)|(?:\.([0-9]+))?(?:e([+-]?)0*([0-9]{1,6}))?)")

def ratio(at, value):
    """An exact number of at least 0, in quotes."""
    m = type(value) is str and len(value) <= MAX_DIGITS and NUMBER.fullmatch(value)
    whole, denominator, fraction, sign, power = m.groups(default="") if m else [""] * 5
    e = int(power or 0)
    is_number = m and e <= MAX_DIGITS and (not denominator or denominator.strip("0"))
    require(is_number, f'{at} must be a number in quotes, such as "0.05", "1e-9" or "3/2"')
    use("bits", 4 * (len(value) + e), OWN_BITS)
    if denominator:
        return Fraction(digits(whole), digits(denominator))
    e = (-e if sign == "-" else e) - len(fraction)
    return Fraction(digits(whole + fraction) * 10**max(e, 0), 10**max(-e, 0))

def signed(at, value):
    is_below = type(value) is str and value[:1] == "-"
    return -ratio(at, value[1:]) if is_below else ratio(at, value)

def whole(at, value):
    n = int(value) if type(value) is Literal and re.fullmatch("-?[0-9]{1,10}", value) else MAX_WHOLE + 1
    require(abs(n) <= MAX_WHOLE, f"{at} must be a whole number between -{MAX_WHOLE} and {MAX_WHOLE}")
    return n

def real(at, value):
    x = float(value) if type(value) is Literal else float("inf")
    require(isfinite(x), f"{at} must be a number within the range of float64")
    return x

def flag(at, value):
    require(value is True or value is False, f"{at} must be true or false")
    return value

def number(at, m):
    """What eps or exp_eps says, and whether it is a logarithm."""
    require(("eps" in m) != ("exp_eps" in m), f"{at} must have either eps or exp_eps")
    key = "eps" if "eps" in m else "exp_eps"
    return ratio(f"{at}.{key}", m[key]), key == "exp_eps"

def pair(read):
    def both(at, value):
        xs = each(at, value, read)
        require(len(xs) == 2, f"{at} must be a list of two numbers")
        return tuple(xs)
    return both

Mechanism = namedtuple("Mechanism", "eps delta law noise count")  # noise is what is not known here
Claim = namedtuple("Claim", "mechanisms stops proof stated at_most more_than")

RANGE = "bounded_range"

def mechanism(at, m):
    kinds = ("law", "noise", "losses", "sampled", RANGE)
    kind = next((k for k in kinds if type(m) is dict and m.get(k) is not None), "eps")
    keys = {"losses": ["losses", "reversed"], "eps": ["?eps", "?exp_eps", "delta"]}.get(kind, [kind])
    fields(at, m, "count", *keys)
    eps = delta = law = added = None
    if kind == "eps":
        eps, delta = number(at, m), ratio(f"{at}.delta", m["delta"])
        require(eps[0] >= eps[1], f"{at}: eps must be at least 0, exp_eps at least 1")
        require(delta <= 1, f"{at}: delta must be between 0 and 1")
    elif kind == "law":
        law = tuple(each(f"{at}.law", m["law"], pair(ratio)))
        require(1 <= len(law) <= MAX_OUTPUTS, f"{at}: law has {len(law)} outputs, must have 1 to {MAX_OUTPUTS}")
        require([sum(x) for x in zip(*law)] == [1, 1], f"{at}: the probabilities of law must sum to 1")
    elif kind == "noise":
        added = noise(f"{at}.noise", m["noise"])
    elif kind == "sampled":
        added = sampled(f"{at}.sampled", m["sampled"])
    elif kind == RANGE:
        length = number(f"{at}.{RANGE}", fields(f"{at}.{RANGE}", m[RANGE], "?eps", "?exp_eps"))
        x, is_log = length
        is_length = x > is_log and (ln(x.numerator) - ln(x.denominator) if is_log else x) <= 500
        require(is_length, f"{at}.{RANGE} must be more than 0, and at most 500")
        added = RANGE, length, False
    else:
        added = losses(f"{at}.losses", m["losses"]), flag(f"{at}.reversed", m["reversed"])
    count = whole(f"{at}.count", m["count"])
    require(count >= 1, f"{at}.count is {count}, must be at least 1")
    return Mechanism(eps, delta, law, added, count)

def noise(at, value):
    m = fields(at, value, "law", "scale", "?square", "sampling", "?adds", "?group", "?max_batch", "?records",
               "?replaced", "added")
    most = {"gaussian": 10**9, "laplace": 10**9, "discrete_gaussian": 10**4}.get(str(m["law"]), 0)
    require(most, f"{at}.law must be gaussian, laplace or discrete_gaussian")
    scale, sampling = ratio(f"{at}.scale", m["scale"]), ratio(f"{at}.sampling", m["sampling"])
    require(Fraction(1, 500) <= scale <= most, f"{at}.scale must be between 0.002 and {most}")
    require(Fraction(1, 10**9) <= sampling <= 1, f"{at}.sampling must be between 1e-9 and 1")
    adds, is_normal = each(f"{at}.adds", m["adds"], pair(ratio)) if "adds" in m else [], m["law"] == "gaussian"
    require(len(adds) <= MAX_AMOUNTS, f"{at}.adds has {len(adds)} amounts, must have at most {MAX_AMOUNTS}")
    require(all(size(*x) <= MAX_BITS for x in adds), f"{at}.adds must have at most {MAX_BITS} bits each")
    require("adds" not in m or sum(p for _, p in adds) == 1, f"{at}.adds must have probabilities with the sum 1")
    require(all(p for _, p in adds), f"{at}.adds must have probabilities above 0")
    rise = all(x[0] < y[0] for x, y in zip(adds, adds[1:])) and (not adds or adds[-1][0] > 0)
    require(rise, f"{at}.adds must have amounts that rise, the last one above 0")
    group = whole(f"{at}.group", m["group"]) if "group" in m else 1
    require(0 <= group <= 1000, f"{at}.group must be at most 1000")
    is_known = is_normal or not adds and (group <= 1 or m["law"] == "laplace" and sampling == 1)
    require(is_known, f"{at}: this noise is known neither with adds nor for groups")
    batch, records = (whole(f"{at}.{key}", m[key]) if key in m else 0 for key in ("max_batch", "records"))
    require(batch == records == 0 or 0 < batch < records <= 10**9, f"{at}.max_batch must be less than records")
    replaced, added = flag(f"{at}.replaced", m.get("replaced", False)), flag(f"{at}.added", m["added"])
    is_sampled = not added and (batch or sampling < 1)
    require(not replaced or is_sampled, f"{at}: a record that is replaced must be in a sample")
    require(not (batch or replaced) or is_normal and not adds and group <= 1, f"{at} must be plain noise")
    check_amounts(at, m["law"], scale, sampling, adds, max(1, group), batch or replaced)
    if "square" in m:  # of which scale is about the inverse root
        square = ratio(f"{at}.square", m["square"])
        is_plain = is_normal and sampling == 1 and not (adds or batch or replaced) and group <= 1
        require(is_plain and abs(square * scale**2 - 1) <= 1e-9, f"{at}.square must be 1/scale², without sampling")
        scale = square, "square"
    return m["law"], scale, sampling, tuple(adds), group, batch, records, replaced, added

def size(*xs):
    """The bits of all numbers."""
    return sum(x.numerator.bit_length() + x.denominator.bit_length() for x in xs)

def check_amounts(at, law, scale, sampling, adds, members, is_exchanged):
    """Whether what is added by a group is few amounts, not too rare, and near the scale."""
    positive = [a for a, _ in adds if a] or [Fraction(1)]
    is_random = sampling < 1 or len(adds) > 1
    are_few = not is_random or comb(len(positive) + members, members) <= MAX_AMOUNTS
    require(are_few, f"{at}: a group adds one of more than {MAX_AMOUNTS} amounts")
    require(members == 1 or size(sampling) <= MAX_BITS, f"{at}.sampling must have at most {MAX_BITS} bits for a group")
    idle = 1 - sampling * sum(p for a, p in adds if a)
    is_often = not adds or 1 - idle**members >= Fraction(1, 10**9)
    require(is_often, f"{at}: something must be added with a probability of at least 1e-9")
    most = 2 if is_exchanged else positive[-1] * members
    is_near = law == "discrete_gaussian" or most / 500 <= scale <= 10**9 * positive[0]
    require(is_near, f"{at}.scale must be between 0.002 of the most and 1e9 of the least that is added")

def sampled(at, value):
    """What sees one sample, as far as it is looked at here."""
    m = fields(at, value, "rate", "mechanisms", "added")
    rate = ratio(f"{at}.rate", m["rate"])
    require(Fraction(1, 10**9) <= rate <= 1, f"{at}.rate must be between 1e-9 and 1")
    xs = each(f"{at}.mechanisms", m["mechanisms"], in_sample)
    require(1 <= len(xs) <= 64, f"{at}: there are {len(xs)} mechanisms that see the sample, must be 1 to 64")
    are_few = sum(x.count for x in xs) <= MAX_WHOLE
    require(are_few, f"{at}: there are more than {MAX_WHOLE} mechanisms that see the sample")
    return rate, tuple(xs), flag(f"{at}.added", m["added"])

def in_sample(at, value):
    require(type(value) is dict and not {"sampled", RANGE} & value.keys(),
            f"{at} must not be sampled, nor have a range, as it is within a sample")
    m = mechanism(at, value)
    require(not m.noise or not m.noise[-1], f"{at} must be given for neighbours of which the first has the record")
    is_plain = not m.noise or len(m.noise) < 8 or not (m.noise[5] or m.noise[7])
    require(is_plain, f"{at} must have no batches of its own, and no record that is replaced")
    ratios = [p / q for p, q in m.law or [] if p and q] + ([m.eps[0]] if m.eps and m.eps[1] else [])
    is_small = all(abs(ln(x.numerator) - ln(x.denominator)) <= 600 for x in ratios)
    is_small = is_small and (not m.eps or m.eps[1] or m.eps[0] <= 600)
    require(is_small, f"{at}: losses of what sees a sample must be between -600 and 600")
    return m

def losses(at, value):
    """Losses as far as they are looked at here."""
    xs = each(at, value, pair(signed))
    require(1 <= len(xs) <= 1 << 18, f"{at}: there are {len(xs)} losses, must be 1 to {1 << 18}")
    require(all(abs(loss) <= 600 and mass > 0 for loss, mass in xs), f"{at}: a loss or a mass is wrong")
    require(all(x[0] < y[0] for x, y in zip(xs, xs[1:])), f"{at} must rise")
    common = common_denominator([mass for _, mass in xs], 1 << 18)
    whole = sum(mass.numerator * (common // mass.denominator) for _, mass in xs)
    require(whole <= common, f"{at} have more than 1 mass")
    others = fsum(float(mass) * exp(-float(loss)) for loss, mass in xs)
    require(others <= 1 + 1e-9, f"{at} have more than 1 mass under Q")
    return tuple(xs)

def stop(at, value):
    m = fields(at, value, "after", "?eps", "?exp_eps")
    eps = number(at, m)
    require(eps[0] >= eps[1], f"{at}: eps must be at least 0, exp_eps at least 1")
    return whole(f"{at}.after", m["after"]), eps

def ends(at, value):
    m = fields(at, value, "lower", "upper")
    lower, upper = ratio(f"{at}.lower", m["lower"]), ratio(f"{at}.upper", m["upper"])
    require(lower <= upper, f"{at} has a lower end above its upper end")
    return lower, upper

def lattice(at, value):
    m = fields(at, value, "unit", "windows")
    unit = number(f"{at}.unit", fields(f"{at}.unit", m["unit"], "?eps", "?exp_eps"))
    windows = each(f"{at}.windows", m["windows"], pair(whole))
    require(windows, f"{at}.windows are none, must be one behind every run")
    return unit, windows

PROOFS = {"lattice": ("method", "cut", "upper", "thresholds"), "states": ("method", "bits", "thresholds"),
          "grid": ("method", "cut", "upper", "lower", "thresholds", "?tops", "?tilts", "?steeper", "?divided")}

def hints(at, value):
    method = value.get("method") if type(value) is dict else None
    require(type(method) is str and method in PROOFS, f"{at}.method must be lattice, grid or states")
    m, unless = fields(at, value, *PROOFS[method]), lambda read: lambda at, x: None if x is None else read(at, x)
    read = {"thresholds": unless(real), "tilts": real, "tops": unless(ratio)}
    proof = {key: each(f"{at}.{key}", m[key], read[key]) for key in read if key in m}
    read = {"bits": whole, "cut": real, "upper": lattice, "lower": lattice, "steeper": whole, "divided": flag}
    proof |= {key: read[key](f"{at}.{key}", m[key]) for key in read if key in m}
    require(0 <= proof.get("cut", 0) < 1, f"{at}.cut must be at least 0 and less than 1")
    require(53 <= proof.get("bits", 53) <= 1 << 13, f"{at}.bits must be from 53 to {1 << 13}")
    return proof

def claim(at, value):
    m = fields(at, value, "problem", "proof", "optdel", "?lemma11", "?single_stop", "?at_most", "?more_than")
    problem = fields(f"{at}.problem", m["problem"], "mechanisms", "stops")
    mechanisms = each(f"{at}.problem.mechanisms", problem["mechanisms"], mechanism)
    stops = each(f"{at}.problem.stops", problem["stops"], stop)
    proof, stated = hints(f"{at}.proof", m["proof"]), {"optdel": ends(f"{at}.optdel", m["optdel"])}
    if "lemma11" in m:
        stated["lemma11"] = ends(f"{at}.lemma11", m["lemma11"])
    singles = each(f"{at}.single_stop", m["single_stop"], ends) if "single_stop" in m else None
    for key, n in ("single_stop", singles), ("proof.thresholds", proof["thresholds"]):
        require(n is None or len(n) == len(stops), f"{at}.{key} must have {len(stops)} entries, one a stop")
    stated |= {f"single_stop {i + 1}": s for i, s in enumerate(singles or [])}
    limits = [ratio(f"{at}.{key}", m[key]) if key in m else None for key in ("at_most", "more_than")]
    last, total = [0, *(s[0] for s in stops)], sum(x.count for x in mechanisms)
    require(mechanisms and stops, f"{at}.problem: there are no mechanisms or no stops, must be at least one of each")
    require(all(x < y for x, y in zip(last, last[1:])), f"{at}.problem: stops must be after those before them")
    require(last[-1] == total <= MAX_WHOLE, f"{at}.problem: the last stop is after {last[-1]} of {total} mechanisms")
    laws = sum(x.count for x in mechanisms if x.law)
    require(laws <= MAX_LAWS, f"{at}.problem: {laws} mechanisms have a law, must be at most {MAX_LAWS}")
    logs = [x for x, is_log in numbers(mechanisms, stops) if is_log]
    bits = size(*logs)
    require(bits <= MAX_LOG_BITS, f"{at}.problem: exp_eps have {bits} bits together, must be at most {MAX_LOG_BITS}")
    return Claim(mechanisms, stops, proof, stated, *limits)

def numbers(mechanisms, stops):
    """Every eps, and every loss of a law, without its sign."""
    for m in mechanisms:
        if m.law:
            yield from ((max(x, 1 / x), True) for x in ratios(m.law)[0])
        elif m.eps:
            yield m.eps
    yield from (eps for _, eps in stops)

def ratios(law):
    """P0-masses by their P/Q, and the P0-only mass."""
    masses, only = {}, Fraction(0)
    for p, q in law:
        if not q:
            only += p
        elif p:
            masses[p / q] = masses.get(p / q, 0) + p
    return masses or {Fraction(1): Fraction(0)}, only

# Orders of neighbours.

def problem_key(c, is_back):
    """The same for two problems only if they are: equal neighbouring entries are one, with one stop all equal ones.

    checkrr writes equal entries as one wherever no stop is between them; others are not taken for the same here."""
    entries = []
    for m in c.mechanisms:
        key = (back(m) if is_back else m)._replace(count=0)
        if not entries or entries[-1][0] != key:
            entries.append([key, 0])
        entries[-1][1] += m.count
    if len(c.stops) == 1:
        joined = {}
        for key, count in entries:
            joined[key] = joined.get(key, 0) + count
        entries = joined.items()
    return tuple(map(tuple, entries)), tuple(c.stops)

def back(m):
    """A mechanism for neighbours in the other order, which is another one if it has a law, losses or randomness."""
    if m.law:
        return m if is_symmetric(m.law) else m._replace(law=tuple((q, p) for p, q in m.law))
    if not m.noise or m.noise[0] == RANGE:
        return m
    if len(m.noise) > 3:
        _, _, sampling, adds, _, batch, _, is_replaced, _ = m.noise
        if is_replaced or sampling == 1 and not batch and len(adds) <= 1:
            return m
    return m._replace(noise=(*m.noise[:-1], not m.noise[-1]))

def has_orders(c):
    return any(back(m) != m for m in c.mechanisms)

def is_symmetric(law):
    """Whether (Q, P) has the same losses with the same masses."""
    outputs = {}
    for p, q in law:
        if p + q:
            before = outputs.get(p / (p + q), (0, 0))
            outputs[p / (p + q)] = before[0] + p, before[1] + q
    falling = [outputs[x] for x in sorted(outputs)]
    return all((p, q) == (y, x) for (p, q), (x, y) in zip(falling, reversed(falling)))

def one_order(claims):
    """The first claim that says something of neighbours in one order only; 0 if there is none."""
    for i, c in enumerate(claims):
        is_more = c.more_than is not None and c.at_most is None  # what one order exceeds, all do
        if has_orders(c) and not is_more and partner(claims, c) is None:
            return i + 1
    return 0

def is_bounded(c):
    """Whether a claim says that OptDel is less than 1, which it never exceeds."""
    return c.stated["optdel"][1] < 1 or c.at_most is not None and c.at_most < 1

def partner(claims, c):
    """Which claim, from 0, is for the other order; a bound for one order is none if nothing bounds the other one."""
    key = problem_key(c, True)
    others = [i for i, x in enumerate(claims) if problem_key(x, False) == key and is_bounded(x) >= is_bounded(c)]
    return min(others, key=lambda i: (not is_bounded(claims[i]), i), default=None)

def together(claims):
    """What pairs of claims say of neighbours in both orders, rounded outward: the larger one holds."""
    others = {i: partner(claims, c) for i, c in enumerate(claims) if has_orders(c)}
    for i, j in others.items():
        if j is not None and j > i and others.get(j) == i:
            both = zip(claims[i].stated["optdel"], claims[j].stated["optdel"])
            low, high = (Context(17, way).divide(Decimal(x.numerator), Decimal(x.denominator))
                         for x, way in zip(map(max, both), (ROUND_FLOOR, ROUND_CEILING)))
            yield (f"Together: OptDel for neighbours in both orders is between {low} and {high}, "
                   f"by claims {i + 1} and {j + 1}")

# Numbers.

def div(a, b, up):
    return -(-a // b) if up else a // b

def mul(a, b, up):
    return div(a * b, ONE, up)

def power(x, n, up):
    """A bound of x^n, for a bound x between 0 and 1."""
    y = ONE
    while n:
        if n & 1:
            y = mul(y, x, up)
        x, n = mul(x, x, up), n >> 1
    return y

def exp_neg(x, up):
    """A bound of e^-x, x >= 0: one over the other bound of e^x = (e^y)^(2^s), y < 2^-8."""
    if x > P * ONE:
        return int(up)
    s = max(0, x.bit_length() - P + 8)
    w, n = P + s + 16, 0
    spend(w // 24, w)
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
    """A bound of ln x, for a whole x > 1, times 2^bits: n ln 2 + ln x/2^n, ln y = 2 artanh((y - 1)/(y + 1))."""
    twos = x.bit_length() - 1 if x > 2 else 0
    spend(bits // 3, bits + x.bit_length())
    hold(1, bits)
    a, b, n = x - (1 << twos), x + (1 << twos), 1
    power, square = div(a << bits, b, up), div(a * a << bits, b * b, up)
    total = 2 * power
    while power > 1:
        power, n = div(power * square, 1 << bits, up), n + 2
        total += 2 * div(power, n, up)
    total += 2 * up  # more than all terms that are left: each is less than half of that before
    return total + (twos * log(2, bits, up) if twos else 0)

def add(s, n, t):
    """s + n t for sums s and t: tuples of (0, rational) and (x, multiple of ln x), the x coprime."""
    spend(len(s) + len(t), 512)
    s, t = dict(s), dict(t)
    return tuple(sorted((x, m) for x in {*s, *t} if (m := s.get(x, 0) + n * t.get(x, 0))))

def bounds(s, bits=0):
    """Bounds of a sum, times 2^P or, if they are given, 2^bits."""
    bits, ends = bits or P, [0, 0]
    spend(2 * len(s), bits)
    for (x, n), up in ((part, up) for part in s for up in ENDS):
        a, b = (n * log(x, bits + 64, up == (n > 0)), 1 << 64) if x else (n.numerator << bits, n.denominator)
        ends[up] += div(a, b, up)
    return ends

def sign(s):
    """The sign of a sum, which is 0 only if nothing is there: a rational other than 0 is no logarithm."""
    bits, (low, high) = P, bounds(s) if any(x for x, _ in s) else [sum(n for _, n in s)] * 2
    while low <= 0 <= high and s:
        bits *= 2
        low, high = bounds(s, bits)
    return (low > 0) - (high < 0)

def strip(x, c):
    """How often c > 1 divides x, and x without that: c, c^2, c^4, … are tried, and back."""
    if x % c:
        return 0, x
    n, rest = strip(x // c, c * c)
    return (2 * n + 1, rest) if rest % c else (2 * n + 2, rest // c)

class Logs:
    """Writes numbers as sums, each in one way only: of logarithms of whole numbers that are coprime."""

    def __init__(self, numbers):
        self.bases, self.known = [], {}
        todo = [part for x in {x for x, is_log in numbers if is_log} for part in (x.numerator, x.denominator)]
        while todo:
            a = todo.pop()
            spend(len(self.bases) + 1, a.bit_length())
            b = next((b for b in self.bases if gcd(a, b) > 1), None) if a > 1 else 1
            if b is None:
                self.bases.append(a)
            elif b > 1:
                self.bases.remove(b)
                g = gcd(a, b)
                todo += [g, strip(a, g)[1], strip(b, g)[1]]

    def sum(self, x, is_log):
        if not is_log:
            return add((), 1, [(0, x)])
        if x not in self.known:
            spend(2 * len(self.bases), max(x.numerator, x.denominator).bit_length())
            parts = ((b, strip(x.numerator, b)[0] - strip(x.denominator, b)[0]) for b in self.bases)
            self.known[x] = tuple(sorted(part for part in parts if part[1]))
        return self.known[x]

# One run.

Law = namedtuple("Law", "top atoms only spare")  # atoms are (n, depth, bounds of the P0-mass), n depths below the top

def near(x):
    return [div(x.numerator << P, x.denominator, up) for up in ENDS]

def law_of(m, count, cut, logs):
    """The largest loss, atoms, bounds of P0-only mass, and what was cut."""
    if m.law:
        masses, only = ratios(m.law)
        spend(4 * len(masses))
        depths = {x: logs.sum(max(x, 1 / x), True) for x in masses}
        depths = {x: depths[x] if x > 1 else add((), -1, depths[x]) for x in masses}
        top = depths[max(masses)]
        return Law(top, [(1, add(top, -1, depths[x]), *near(p)) for x, p in masses.items()], near(only), 0)
    eps, only = logs.sum(*m.eps), [ONE - power(near(1 - m.delta)[not up], count, not up) for up in ENDS]
    if not eps:
        return Law((), [(1, (), ONE - only[True], ONE - only[False])], only, 0)
    spend(8 * count)
    hold(6 * count)
    t, keep, binomial = [exp_neg(x, up) for x, up in zip(reversed(bounds(eps)), ENDS)], 1 - m.delta, 1
    mass, powers = {}, []
    for up in ENDS:  # t are the odds of losing -eps
        parts = (ONE, ONE + t[not up]), (t[up], ONE + t[up])
        factors = [div(ONE * a * keep.numerator, b * keep.denominator, up) for a, b in parts]
        powers.append([list(accumulate(range(count), lambda p, _: mul(p, x, up), initial=ONE)) for x in factors])
    for j in range(count + 1):
        mass[j] = [binomial * mul(powers[up][0][count - j], powers[up][1][j], up) for up in ENDS]
        binomial = binomial * (count - j) // (j + 1)
    largest = max(m[0] for m in mass.values())
    kept = {j: m for j, m in mass.items() if m[1] >= cut * largest}
    spare = sum(m[1] for j, m in mass.items() if j not in kept)
    return Law(add((), count, eps), [(j, add((), 2, eps), *m) for j, m in kept.items()], only, spare)

def units(s, unit):
    """How many units there are in a sum, or a few more."""
    most, least = bounds(s)[1], bounds(unit)[0]
    require(most < MAX_WHOLE * least, "the unit is too small for these losses")
    return most // least

def split(depth, unit, low, high, spread):
    """Parts (node, P0-mass down, up, P1-mass times e^loss of the node) of an atom so far below node 0."""
    q = units(depth, unit) if depth else 0
    while sign(over := add(depth, -q, unit)) < 0:
        q -= 1
    if not sign(over):  # what it is below node -q
        return [(-q, low, high, high)]
    require(sign(add(unit, -1, [(0, Fraction(1))])) <= 0, "the unit is above 1, and a loss no multiple of it")
    x, y, z = [[ONE - exp_neg(max(0, end), not up) for up, end in enumerate(bounds(s))]
               for s in (add(unit, -1, over), over, unit)]  # bounds of 1 - e^-s
    if spread:  # as the chord says
        return [(-q, 0, div(high * x[1], z[0], True), 0), (-q - 1, 0, div(high * (z[1] - x[0]), z[0], True), 0)]
    node, a, b = (-q - 1, ONE - x[0], ONE) if x[0] < y[0] else (-q, ONE, ONE - y[1])  # the nearer one
    return [(node, low, high, div(high * a, b, True))]

class Model:
    """A problem with its losses on the nodes of a lattice or, without one, all of them as nodes."""

    def __init__(self, problem, laws, lattice, spread):
        self.runs, self.charges, self.tops = problem.runs, problem.charges, [()]
        self.unit, windows = lattice or (None, [None] * len(self.runs))
        self.is_exact, self.steps, self.places, self.known, self.width = True, [], [{0}], {}, 64
        if lattice:
            low, high = bounds(self.unit, P + 2048)
            require(10**280 * low > 1 << P + 2048 and high < 10**280 << P + 2048, "a unit must be from 1e-280 to 1e280")
        else:
            self.scales(laws)
        done, deepest = {}, 0
        for (entry, count, stop), window in zip(self.runs, windows):
            law = laws[entry, count]
            if (entry, count) not in done:
                done[entry, count] = list(self.parts(law, spread))
            steps = [step for step, *_ in done[entry, count]]
            deepest = max(-MAX_WHOLE, deepest + min(steps))
            require(not lattice or deepest > -MAX_WHOLE, "the unit is too small for these losses")
            self.tops.append(add(self.tops[-1], 1, law.top))
            self.steps.append((done[entry, count], law.only, law.spare))
            self.places.append(self.window(window, deepest, steps) if lattice else self.states(steps))
            if lattice and stop is not None and (gap := add(self.tops[-1], -1, self.charges[stop])):
                units(gap, self.unit)
        if lattice:
            self.check_places([{step for step, *_ in parts} for parts, *_ in self.steps])
        at_stops = sum(len(p) for p, run in zip(self.places[1:], self.runs) if run[2] is not None)
        hold(4 * max(map(len, self.places)), P + self.width)
        hold(at_stops)

    def check_places(self, steps):
        """There are at most MAX_WINDOW nodes at one place: those of a window, those that a run leads to, and as many
        beside these, on both sides, as the run and the next one move."""
        steps = [(min(s), max(s)) for s in steps]
        width = [high - low for low, high in steps] + [0]
        most, low, high = 1, 0, 0
        for k, (fall, climb) in enumerate(steps):
            before, window = self.places[k], self.places[k + 1]
            ends = [min(before), max(before)] if k else [0, 0]
            most = max(most, max(ends[1] + climb, window[-1]) - min(ends[0] + fall, window[0]))
            most = max(most, high - low + 2 * width[k])
            low, high = low + fall, high + climb
            most = max(most, high - low + 2 * max(width[k], width[k + 1]))
            low, high = min(max(low, window[0]), high), max(min(high, window[-1]), low)
        require(most < MAX_WINDOW, f"there are more than {MAX_WINDOW} nodes at one place")

    def scales(self, laws):
        """What coefficients of losses are multiplied with, to be parts of one number."""
        depths = {depth for law in laws.values() for _, depth, *_ in law.atoms}
        bases = sorted({x for depth in depths for x, _ in depth if x})
        self.denominator = common_denominator([n for depth in depths for x, n in depth if not x])
        self.scale = {x: RADIX**i for i, x in enumerate(bases)} | {0: self.denominator * RADIX**len(bases)}
        self.width = max(int(abs(n * self.scale[x])).bit_length() for depth in depths for x, n in depth or [(0, 0)])

    def parts(self, law, spread):
        hold(2 * len(law.atoms), P + self.width)
        for n, depth, low, high in law.atoms:
            if self.unit is None:
                yield -int(n * sum(m * self.scale[x] for x, m in depth)), low, high, high
                continue
            all_of_it = split(add((), n, depth), self.unit, low, high, spread)
            self.is_exact = self.is_exact and len(all_of_it) == 1 and all_of_it[0][3] == high
            yield from all_of_it

    def window(self, window, deepest, steps):
        low, high = window
        spend(len(self.places[-1]) * len(steps))
        return range(max(low, deepest), max(high, deepest) + 1)  # there is nothing below the deepest

    def states(self, steps):
        moves = len(self.places[-1]) * len(steps)
        require(moves <= MAX_MOVES, f"losses times atoms of the next run are {moves}, must be at most {MAX_MOVES}")
        spend(4 * moves, P + self.width)
        here = set()
        for node in self.places[-1]:
            before = len(here)
            here.update(node + step for step in steps)
            hold(len(here) - before, self.width)
        most = sum(map(len, self.places)) + len(here)
        require(most <= MAX_STATES, f"there are more than {MAX_STATES} different losses")
        return here

    def depth(self, node):
        """How far a node is below the largest loss, as a sum."""
        if self.unit is not None:
            return add((), -node, self.unit)
        rest, depth = -node, []
        for x in self.scale:
            if x:
                n = (rest + RADIX // 2) % RADIX - RADIX // 2
                rest, depth = (rest - n) // RADIX, [*depth, (x, n)]
        return add((), 1, [*depth, (0, Fraction(rest, self.denominator))])

    def odds(self, k, node):
        """Bounds of min(1, y) and of y = e^(charge - loss); the second is no use from y = e on."""
        if (k, node) not in self.known:
            gap = add(self.tops[k + 1], -1, self.charges[self.runs[k][2]])
            low, high = bounds(add(gap, -1, self.depth(node)))
            most = exp_neg(low, True) if low >= 0 else div(ONE * ONE, exp_neg(min(-low, ONE), False), True)
            self.known[k, node] = exp_neg(max(0, high), False), most if low >= -ONE else ONE * ONE
        return self.known[k, node]

    def backward(self, up=True):
        """A bound of OptDel; the lower one if all losses are nodes. Keeps what is at most worth to be below windows."""
        w, self.below = dict.fromkeys(self.places[-1], 0), {}
        for k in reversed(range(len(self.runs))):
            if self.runs[k][2] is not None:
                w = {node: max(x, ONE - self.odds(k, node)[not up]) for node, x in w.items()}
            (atoms, only, spare), behind, high, self.below[k] = self.steps[k], w, max(w), w[min(w)]
            spend(len(self.places[k]) * len(atoms))
            w = {node: min(ONE, only[up] + spare * up + div(sum((m if up else a) * behind.get(
                node + step, ONE if node + step > high else self.below[k]) for step, a, m, _ in atoms), ONE, up))
                for node in self.places[k]}
        return w[0]

    def forward(self, up, rule=None):
        """Per stop, a bound of what ending there is worth: as the rule says, or at this stop only."""
        laws, only, dropped, worth = {0: (ONE, ONE)}, 0, 0, []
        for (k, (_, _, stop)), (atoms, more, spare) in zip(enumerate(self.runs), self.steps):
            only, before, laws = only + mul(more[up], sum(a for a, _ in laws.values()), up), laws, {}
            spend(2 * len(before) * len(atoms))
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

# A claim.

def common_denominator(xs, most=MAX_SUM_BITS):
    common = 1
    for x in xs:
        common *= x.denominator // gcd(common, x.denominator)
        spend(1, common.bit_length())
        require(common.bit_length() <= most, "a common denominator is too long")
    return common

def runs_of(c):
    """Runs (entry, count, stop or None): the longest of equal mechanisms without a stop inside."""
    done, stop = 0, 0
    for entry, m in enumerate(c.mechanisms):
        left = m.count
        while left:
            n = 1 if m.law else min(left, c.stops[stop][0] - done)
            done, left = done + n, left - n
            is_stop = done == c.stops[stop][0]
            yield entry, n, stop if is_stop else None
            stop += is_stop

E = Fraction("2.71828182845904524")  # a little more than the exponential of a unit of 1

def check_form(c, runs):
    """Whether a proof is one for these runs, whatever it proves."""
    has_ranges = any(m.noise and m.noise[0] == RANGE for m in c.mechanisms)
    require(not has_ranges, "mechanisms with a range are not known here", Unknown)
    tilts, tops = c.proof.get("tilts") or [0] * len(runs), c.proof.get("tops", [])
    are_tilts = len(tilts) == len(runs) and all(0 <= t < 1e9 for t in tilts)
    require(are_tilts, "tilts must be one a run, at least 0 and less than 1e9")
    require(0 <= c.proof.get("steeper", 0) <= 8, "steeper must be between 0 and 8")
    same = {}
    for k, (entry, count, _) in enumerate(runs):
        m = c.mechanisms[entry]
        has_top = m.eps or m.law or tops[k:] and tops[k] is not None
        require(has_top, f"run {k + 1} has noise, or losses, must have a top")
        is_same = not m.noise or same.setdefault((m.noise, count), tops[k]) == tops[k]
        require(is_same, f"run {k + 1} has another top than an equal one")
    is_dense = any(not m.eps and not m.law for m in c.mechanisms)
    for (x, is_log), windows in [c.proof[key] for key in ("upper", "lower") if key in c.proof]:
        require(x > is_log, "a unit must be more than 0")
        is_unit = not is_dense or x <= (E if is_log else 1)
        require(is_unit, "the unit must be at most 1 where there is noise, or losses are given")
        require(len(windows) == len(runs), f"there are {len(windows)} windows, must be {len(runs)}")
        for low, high in windows:
            is_window, rule = -MAX_WHOLE < low <= high <= 0 and high - low < MAX_WINDOW, f"have 1 to {MAX_WINDOW} nodes"
            require(is_window, f"a window is [{low}, {high}], must be above -{MAX_WHOLE} and at most 0, and {rule}")

class Problem:
    """The charges, and the runs."""

    def __init__(self, c, units, runs):
        every = list(numbers(c.mechanisms, c.stops)) + units
        distinct = len({x for x, is_log in every if is_log and x != 1})
        require(distinct <= MAX_LOGS, f"there are {distinct} different exp_eps or losses, must be at most {MAX_LOGS}")
        common_denominator([x for x, is_log in every if not is_log], MAX_SUM_BITS // len(every))
        self.logs, self.runs = Logs(every), runs
        self.charges = [self.logs.sum(*eps) for _, eps in c.stops]

    def leaks(self, laws):
        """Per stop, whether there was P0-only mass so far, and the largest loss."""
        only, top = False, ()
        for entry, count, stop in self.runs:
            only, top = only or laws[entry, count].only[True] > 0, add(top, 1, laws[entry, count].top)
            if stop is not None:
                yield only, top

def shown(x):
    try:
        return f"{float(x):.17g}"
    except OverflowError:
        return "more than 1e308"

def compare(name, stated, found, is_kept, is_false):
    kind, says = (Refuted, "refuted") if is_false else (NotProved, "not proved")
    require(is_kept, f"{says}: {name} is stated as {shown(stated)}, certified is {shown(found)}", kind)

def compare_all(c, found, one):
    """Raises Refuted with the first inequality that does not follow from what was found, a multiple of 1/one."""
    for name, (lower, upper) in c.stated.items():
        low, high = (Fraction(x, one) for x in found[name])
        compare(f"{name} lower", lower, low, lower <= low, lower > high)
        compare(f"{name} upper", upper, high, high <= upper, upper < low)
    low, high = (Fraction(x, one) for x in found["optdel"])
    if c.at_most is not None:
        compare("at_most", c.at_most, high, high <= c.at_most, low > c.at_most)
    if c.more_than is not None:
        compare("more_than", c.more_than, low, low > c.more_than, high <= c.more_than)

UNKNOWN = "mechanisms with noise, losses or samples are not known here, but to certify_noise.py"

def check(c):
    """Raises Refuted with the first inequality that fails."""
    global P, ONE
    runs = list(runs_of(c))
    check_form(c, runs)
    require(all(m.eps or m.law for m in c.mechanisms), UNKNOWN, Unknown)
    used["bytes"] = 0
    log.cache_clear()
    proof, units = c.proof, [c.proof[key][0] for key in ("upper", "lower") if key in c.proof]
    least = min((x for s in c.stated.values() for x in s if x > 0), default=1)
    P = 128 + int(1 / least).bit_length()
    require(P <= OWN_DIGITS, "it would take numbers that are too small here", Unknown)
    problem = Problem(c, [(x, is_log) for x, is_log in units if x > is_log], runs)
    is_zero = [m.eps is not None and m.eps[0] == m.eps[1] for m in c.mechanisms]
    cut, most = Fraction(proof.get("cut", 0)), max(0 if is_zero[entry] else n for entry, n, _ in problem.runs)
    require(cut or (max(n for _, n, _ in problem.runs) if units else most) <= MAX_ATOMS,
            f"runs of equal mechanisms have more than {MAX_ATOMS} different losses")
    P += proof.get("bits", 64) + most
    require(P <= OWN_PRECISION, "it would take numbers that are too long here", Unknown)
    ONE = 1 << P
    laws = {}
    for entry, count, _ in problem.runs:
        if (entry, count) not in laws:
            laws[entry, count] = law_of(c.mechanisms[entry], count, cut, problem.logs)
    require(sum(len(law.atoms) for law in laws.values()) <= MAX_ATOMS, f"there are more than {MAX_ATOMS} atoms")
    compare_all(c, certified(problem, laws, proof), ONE)

def certified(problem, laws, proof):
    """Bounds of all numbers that may be stated."""
    def model(key, spread):
        unit, windows = proof[key]
        return Model(problem, laws, (problem.logs.sum(*unit), windows), spread)

    rule = [x if x is None else Fraction(x) for x in proof["thresholds"]]
    up = model("upper", True) if "upper" in proof else Model(problem, laws, None, True)
    low = up if up.is_exact else model("lower" if "lower" in proof else "upper", False)
    most = up.backward()
    singles = list(zip(low.forward(False), (min(x, ONE) for x in up.forward(True))))
    for i, (is_leak, top) in enumerate(problem.leaks(laws)):  # where no loss is above the charge nothing is gained
        if not is_leak and sign(add(top, -1, problem.charges[i])) <= 0:
            singles[i] = 0, 0
    total = [sum(ends) for ends in zip(*singles)]
    least = sum(low.forward(False, rule)) if up.unit is not None else up.backward(False)
    found = {f"single_stop {i + 1}": ends for i, ends in enumerate(singles)} | {"lemma11": total}
    return found | {"optdel": (max(least, *(s[0] for s in singles)), min(most, total[1], ONE))}

def read(name):
    """The claims of a file."""
    with sys.stdin.buffer if name == "-" else open(name, "rb") as file:
        m = fields("the file", load(file.read(MAX_FILE + 1)), "schema_version", "claims")
    version = m["schema_version"]
    require(type(version) is Literal and version == "1", "schema_version must be the number 1")
    claims = each("claims", m["claims"], claim)
    require(claims, "claims are none, must be at least one")
    return claims

def verify(claims, is_one_order, check):
    """Raises Refuted for the first claim that is, or Unknown if nothing is said of one."""
    unknown = None
    for i, c in enumerate(claims):
        try:
            check(c)
        except Refuted as fault:
            raise Refuted(f"claim {i + 1}: {fault}") from None
        except Unknown as fault:
            unknown = unknown or f"claim {i + 1}: {fault}"
    require(unknown is None, unknown, Unknown)
    only = 0 if is_one_order else one_order(claims)
    why = f"claim {only} is for one order of neighbours, none is for the other one; add --one-order if one is enough"
    require(not only, why, Unknown)

def main(args, about=__doc__, check=check):
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--one-order", action="store_true", help="claims for one order of neighbours are enough")
    parser.add_argument("file", nargs="?", default="-", help="a certificate, or - for standard input")
    args = parser.parse_args(args)
    name = args.file if args.file.isascii() and args.file.isprintable() else ascii(args.file)
    used.update(bits=0, steps=0)
    try:
        if sys.stdout is None:
            raise OSError("standard output is closed, must be open")
        claims = read(args.file)
        verify(claims, args.one_order, check)
        print(f"{name}: all of it holds", *together(claims), sep="\n", flush=True)
    except Refuted as fault:
        return concluded(1, f"{name}: {fault}")
    except Unknown as fault:
        return concluded(3, f"{name}: inconclusive: {fault}")
    except MemoryError:
        return concluded(3, f"{name}: inconclusive: there is not enough memory")
    except OSError as fault:
        sys.stdout = None  # which may not take what is left to be written
        return concluded(2, f"{name}: {fault}")
    except Exception as fault:  # 1 would say that something is refuted
        return concluded(2, f"{name}: {fault or type(fault).__name__}")
    return 0

def concluded(code, message):
    """The exit code, whether or not standard error takes the message."""
    try:
        if sys.stderr is not None:
            print(message, file=sys.stderr, flush=True)
    except (OSError, ValueError):
        sys.stderr = None  # which may not take what is left to be written
    return code

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
