#!/usr/bin/env python3
"""Mechanisms that break the claim about them, most of them in a place where one has to look for it; needs numpy.

Every tester sees the same: a row draws outputs as an array, and has two ways to write them. `outputs` are what the
mechanism answers: texts, lists of any length, numbers. `numbers` are vectors of a fixed length, for testers that take
nothing else, and `encoding` says how they were made of the outputs, where that takes somebody who knows how the outputs
are built.

    python3 docs/peers/wrong.py                                    # the names of the rows
    python3 docs/peers/wrong.py --file nonce | checkrr audit -     # the file of an audit, which runs this program

The program answers requests as docs/audit-protocol.md has it if it is given --row.
"""
import argparse
import json
import math
import sys
from typing import Callable, NamedTuple

import numpy as np

BELOW, AFTER = -1000.0, -2000.0  # ⊥ and an answer that was not given, as DP-Sniper writes them


class Row(NamedTuple):
    name: str
    title: str
    draw: Callable  # (generator, 0 or 1 for the input, how many) to an array with an output in each row
    eps: float = 1.0
    delta: float = 0.0
    outputs: Callable = np.ndarray.tolist  # the array as a list of values of JSON
    numbers: Callable = lambda drawn: drawn.reshape(len(drawn), -1).astype(float)
    encoding: str = ""
    flags: tuple = ()  # numbers that are no numbers
    bits: bool = False


def cells(random, side, n):
    x = random.laplace(size=(n, 100))
    x[:, 57] = side + 1e-9 * random.laplace(size=n)
    return x


def unary(random, side, n):
    """A category of 40, one-hot, each bit as it is with the odds of ε = 1: two bits differ, so it is 2-DP."""
    truth = random.random((n, 40)) < 1 / (1 + math.exp(-1))
    return truth == (np.arange(40) == (34, 38)[side])


def words(random, side, n):
    """Twelve words of a thousand, as places in a dictionary: alice, bob, word0, word1, …"""
    places = 2 + random.integers(1000, size=(n, 12))
    places[random.random(n) < 1e-3, 0] = side
    return places


DICTIONARY = ["alice", "bob"] + [f"word{i}" for i in range(1000)]


def nonce(random, side, n):
    """A random number that says nothing, and a count with a third of the noise that it needs."""
    return np.stack([random.integers(2**32, size=n), np.round(41 + side + random.laplace(scale=1 / 3, size=n), 3)], 1)


def sparse(random, answers, rho, nu):
    """Noisy answers, and which of them reach the noisy threshold 0."""
    noisy = answers + random.laplace(scale=nu, size=(rho[0], len(answers)))
    return noisy, noisy >= random.laplace(scale=rho[1], size=(rho[0], 1))


def value(random, side, n):
    """A sparse vector that returns the value that was compared with its first ⊤."""
    noisy, above = sparse(random, np.array([[0.0] * 7 + [1], [1.0] * 7 + [0]][side]), (n, 2), 4)
    noisy[~above] = BELOW
    noisy[:, 1:][np.cumsum(above, 1)[:, :-1] > 0] = AFTER
    return noisy


def spread(random, side, n):
    x = side + random.laplace(size=n)
    leaks = random.random(n) < 2e-4
    x[leaks] = 30 + 2 * side + random.random(leaks.sum())
    return x


def rounded(x):
    return np.ldexp(np.round(np.ldexp(x, 20)), -20)


def lowbits(random, side, n):
    x = rounded(side + random.laplace(size=n))
    return (x.view(np.uint64) & ~np.uint64(15) | np.uint64((0b0101, 0b0111)[side])).view(float)


def chen(random, side, n):
    answers = np.array([[0.0] * 16, [1.0] * 8 + [-1] * 8][side])
    return sparse(random, answers, (n, 2), 2)[1].astype(int)


def lee_clifton(random, side, n):
    """1 is ⊤, with which it stops; −1 is written after it."""
    above = sparse(random, np.array([[1.0] * 10, [2.0] * 5 + [0] * 5][side]), (n, 4), 4 / 3)[1].astype(int)
    above[:, 1:][np.cumsum(above, 1)[:, :-1] > 0] = -1
    return above


def histogram(random, side, n):
    return rounded(np.array([side, 0, 0]) + random.laplace(scale=0.5, size=(n, 3)))


def texts(drawn):
    return ["".join(row) for row in np.where(drawn, "1", "0").tolist()]


ROWS = [
    Row("cells", "100 noisy cells, one without noise", cells),
    Row("unary", "unary encoding of 40 categories, as numbers", unary, outputs=lambda d: d.astype(int).tolist()),
    Row("text", "the same as a text", unary, outputs=texts, encoding="a number for each character"),
    Row("booleans", "32 booleans", lambda *to: unary(*to)[:, 8:], encoding="0 and 1"),
    Row("words", "twelve random words, the first leaks with probability 1e-3", words, encoding="places in a dictionary",
        outputs=lambda d: [[DICTIONARY[i] for i in row] for row in d.tolist()]),
    Row("nonce", "a noisy count in a text with a nonce", nonce, encoding="the two numbers in it",
        outputs=lambda d: [f"request {int(a):08x}: count {b:.3f}, ok" for a, b in d.tolist()]),
    Row("value", "sparse vector with values: seven nulls, then a value", value,
        encoding="DP-Sniper's own: -1000 and -2000", flags=(BELOW, AFTER),
        outputs=lambda d: [[None if x == BELOW else x for x in row if x != AFTER] for row in d.tolist()]),
    Row("spread", "a leak of 2e-4 over an interval, where δ = 1e-4 is claimed", spread, delta=1e-4),
    Row("lowbits", "last bits 0101 against 0111", lowbits, bits=True),
    Row("laplace-small", "Laplace noise of scale 0.8/ε",
        lambda r, side, n: rounded(side + r.laplace(scale=0.8, size=n))),
    Row("svt-chen", "sparse vector without a cutoff (Chen et al.), 16 queries", chen, encoding="0 and 1",
        outputs=lambda d: d.astype(bool).tolist()),
    Row("svt-lee-clifton", "sparse vector of Lee and Clifton, 10 queries", lee_clifton,
        encoding="0, 1, and -1 after the end",
        outputs=lambda d: [[x == 1 for x in row if x >= 0] for row in d.tolist()]),
    Row("noisy-max-value", "the largest of five noisy counts",
        lambda r, side, n: rounded((1 + side + r.laplace(scale=2, size=(n, 5))).max(1))),
    Row("histogram-inverted", "histogram with the inverse of the right scale", histogram, eps=0.5),
]


def row_of(name):
    for row in ROWS:
        if row.name == name:
            return row
    sys.exit(f"wrong.py: there is no row {name!r}, must be one of {', '.join(r.name for r in ROWS)}")


def answer(row):
    """Answers requests until there are no more."""
    for line in sys.stdin:
        request = json.loads(line)
        drawn = row.draw(np.random.default_rng(request["seed"]), request["input"], request["n"])
        print(json.dumps({"id": request["id"], "outputs": row.outputs(drawn)}), flush=True)


def audit_file(row, samples=1_000_000):
    """What checkrr audit reads, as JSON."""
    return json.dumps({
        "command": [sys.executable, __file__, "--row", row.name],
        "neighbours": [{"x": 0, "x2": 1}],
        "claim": {"eps": row.eps, "delta": row.delta},
        "numbers": "bits" if row.bits else "real",
        "budget": {"samples": samples, "seconds": 600, "alpha": 0.01},
    })


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--row", help="answer for this row")
    parser.add_argument("--file", help="print a file for checkrr audit")
    given = parser.parse_args()
    if given.row:
        answer(row_of(given.row))
    elif given.file:
        print(audit_file(row_of(given.file)))
    else:
        for row in ROWS:
            print(f"{row.name:20} {row.title}")
