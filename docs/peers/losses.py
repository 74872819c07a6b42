#!/usr/bin/env python3
"""Writes the privacy loss distribution that dp_accounting makes of one Gaussian step, as lines "loss,mass" for checkrr.

It is the pessimistic one (connect the dots) for removing a record: P is the law with the record, Q without, a loss is
ln(P/Q), a mass is P's, and Q's is mass·e^−loss. Losses are multiples of the grid, in exact decimals; masses are printed
with 17 digits, that is as dp_accounting has them. The last line is the mass of an infinite loss, where Q has none.

Neither P nor Q may have more than 1. dp_accounting sometimes gives them more: it takes differences of δ, which are
rounded to 1e-16, divides them by the grid, and cuts off what comes out negative; that may add 1e-8 to P and 1e-4 to Q,
at the smallest losses, where there is next to nothing. So masses are summed from the largest loss down, rounded upward,
until P (or Q) is full. From the smallest loss kept on, δ(ε) is what it was; below, it is the chord to δ(−∞) = 1, and no
convex function with these ends is above. What P lacks (in the last digits) becomes an infinite loss. What Q lacks has
the loss −∞, an infinite one if the two change places.
"""
import argparse
import os
import sys
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, setcontext

if "DP_ACCOUNTING" in os.environ:  # the folder that holds the package, where it is not installed
    sys.path.insert(0, os.environ["DP_ACCOUNTING"])
from dp_accounting.pld import privacy_loss_distribution


DOWN = Context(prec=17, rounding=ROUND_FLOOR)


def one_step(noise, sampling, grid):
    """The pairs (loss, mass), from the largest loss down, and the infinite mass: private in version 0.6."""
    pld = privacy_loss_distribution.from_gaussian_mechanism(
        noise, value_discretization_interval=float(grid), sampling_prob=sampling)
    pmf = pld._pmf_remove.to_dense_pmf()
    pairs = [(grid * (pmf._lower_loss + i), Decimal(repr(float(mass))))
             for i, mass in enumerate(pmf._probs) if mass > 0]
    return pairs[::-1], Decimal(repr(float(pmf._infinity_mass)))


def within(pairs, infinite):
    """The pairs for which P and Q have room, and the infinite mass with what P has left; the masses of Q."""
    kept, p, q = [], infinite, Decimal(0)
    for loss, mass in pairs:
        mass = min(mass, DOWN.create_decimal(min(1 - p, (1 - q) * loss.exp())))
        if mass <= 0:
            break
        kept.append((loss, mass))
        p, q = p + mass, q + mass * (-loss).exp()
    return kept, DOWN.create_decimal(infinite + (1 - p)), q


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--noise", type=float, default=1.0, help="σ over the clipping norm")
    parser.add_argument("--sampling", type=float, default=0.01)
    parser.add_argument("--grid", type=Decimal, default=Decimal("1e-3"))
    given = parser.parse_args()
    setcontext(Context(prec=50, rounding=ROUND_CEILING))
    before = one_step(given.noise, given.sampling, given.grid)
    pairs, infinite, q = within(*before)
    for loss, mass in reversed(pairs):
        print(f"{loss:f},{mass:g}")
    print(f"inf,{infinite:g}")
    excess = sum(mass for _, mass in before[0]) + before[1] - 1
    print(f"{len(pairs)} of {len(before[0])} losses; P had {float(excess):.1e} above 1; Q has {float(q - 1):.1e}",
          file=sys.stderr)
