#!/usr/bin/env python3
"""A mechanism that checkrr can audit: how many ones are in a list, with Laplace noise.

It is asked over standard input and answers over standard output, one line of JSON each;
docs/audit-protocol.md describes that.

    python3 laplace.py --noise 1.0

The noise has the scale noise / EPS. The count changes by at most 1 when one element of the
list is replaced, so that 1.0 gives EPS-differential privacy and anything less does not.
"""

import argparse
import json
import math
import random
import sys

EPS = 1.0


def laplace(rng, scale):
    """Laplace noise: the difference of two exponential variables."""
    # random() is less than 1 and may be 0, of which there is no logarithm.
    return scale * math.log((1.0 - rng.random()) / (1.0 - rng.random()))


def outputs(x, n, seed, noise):
    """n independent outputs of the mechanism on the input x, all from the seed."""
    if not isinstance(x, list):
        raise ValueError(f"the input is {x!r}, must be a list of 0 and 1")
    rng = random.Random(seed)
    count = sum(1 for element in x if element)
    scale = noise / EPS
    # Rounding is done after the noise and looks at nothing else, so it costs no privacy.
    # Without it the lowest bits of the float would tell which count the noise was added
    # to: not all numbers can be written as this count plus some noise (Mironov 2012, "On
    # significance of the least significant bits for differential privacy").
    return [round(count + laplace(rng, scale), 6) for _ in range(n)]


def answer(request, noise):
    """The reply to a request."""
    try:
        drawn = outputs(request["input"], request["n"], request["seed"], noise)
    except ValueError as error:
        return {"id": request["id"], "error": str(error)}
    return {"id": request["id"], "outputs": drawn}


def main():
    parser = argparse.ArgumentParser(description="a count with Laplace noise, to be audited")
    parser.add_argument("--noise", type=float, default=1.0, help="factor of the noise; 1.0 is right")
    noise = parser.parse_args().noise
    for line in sys.stdin:
        # flush: the reply must not wait in a buffer for the next one.
        print(json.dumps(answer(json.loads(line), noise)), flush=True)


if __name__ == "__main__":
    main()
