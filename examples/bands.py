"""A run of banded matrix factorization on numbers, for checkrr audit.

    python3 bands.py --noise 1 --sample-rate 0.3 --column 0.8 0.48 0.36 --steps 3

A record is [part, number]. There are as many parts as bands, which are the entries of the column. In each step one part
is sampled, each of its records with the probability bands times --sample-rate, and what their sum adds to this step,
and to those that follow, is the column. The output is what the first round of steps shows of a record of part 0.
"""

import argparse
import json
import random
import sys

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--noise", type=float, required=True)
parser.add_argument("--sample-rate", type=float, required=True)
parser.add_argument("--column", type=float, nargs="+", required=True)
parser.add_argument("--steps", type=int, required=True)
args = parser.parse_args()
bands = len(args.column)


def output(records, rng):
    released = [rng.gauss(0, args.noise) for _ in range(args.steps)]
    for step in range(args.steps):
        part = [x for of, x in records if of == step % bands]
        total = sum(min(max(x, -1), 1) for x in part if rng.random() < bands * args.sample_rate)
        for later, entry in enumerate(args.column[:args.steps - step]):
            released[step + later] += entry * total
    return round(sum(entry * y for entry, y in zip(args.column, released)), 6)


for line in sys.stdin:
    request = json.loads(line)
    rng = random.Random(request["seed"])
    outputs = [output(request["input"], rng) for _ in range(request["n"])]
    print(json.dumps({"id": request["id"], "outputs": outputs}), flush=True)
