#!/usr/bin/env python3
"""A mechanism that may stop early, with two kinds of outputs that are charged differently.

First it looks whether there are many ones in the list: it adds Laplace noise for EPS = 0.5
to their number and compares the sum with a threshold. If it is below, the mechanism stops:
the output is in the part "bot", and has cost 0.5. If not, the number is released with new
noise for 0.5 more: the output is in the part "top", and has cost 1.0.

    python3 stop.py --noise 1.0

The protocol is described in docs/audit-protocol.md.
"""

import argparse
import json
import math
import random
import sys

EPS = 0.5  # of each of the two steps
THRESHOLD = 2.0


def laplace(rng, scale):
    """Laplace noise: the difference of two exponential variables."""
    # random() is less than 1 and may be 0, of which there is no logarithm.
    return scale * math.log((1.0 - rng.random()) / (1.0 - rng.random()))


def output(count, rng, scale):
    """One output, with the part that it is in."""
    if count + laplace(rng, scale) < THRESHOLD:
        return {"part": "bot"}
    # Rounded, because the lowest bits of a float would tell more than they should
    # (Mironov 2012). Rounding comes after the noise and costs no privacy.
    return {"part": "top", "value": round(count + laplace(rng, scale), 6)}


def answer(request, noise):
    """The reply to a request."""
    x = request["input"]
    if not isinstance(x, list):
        return {"id": request["id"], "error": f"the input is {x!r}, must be a list of 0 and 1"}
    rng = random.Random(request["seed"])
    count = sum(1 for element in x if element)
    scale = noise / EPS
    return {"id": request["id"], "outputs": [output(count, rng, scale) for _ in range(request["n"])]}


def main():
    parser = argparse.ArgumentParser(description="a count that may stop early, to be audited")
    parser.add_argument("--noise", type=float, default=1.0, help="factor of the noise; 1.0 is right")
    noise = parser.parse_args().noise
    for line in sys.stdin:
        # flush: the reply must not wait in a buffer for the next one.
        print(json.dumps(answer(json.loads(line), noise)), flush=True)


if __name__ == "__main__":
    main()
