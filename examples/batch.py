"""One step of DP-SGD on numbers, for checkrr audit: the sum of a batch, clipped, with Gaussian noise.

    python3 batch.py --noise 1 --sample-rate 0.9 --max-batch 1

Each record is in a sample with the probability --sample-rate. If there are more than --max-batch, so many of them are
left, chosen at random. With --sample-rate 1 batches have that size. A batch is released --releases times, each with
noise of its own; the output is the mean, which tells as much.
"""

import argparse
import json
import random
import sys

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--noise", type=float, required=True)
parser.add_argument("--sample-rate", type=float, default=1)
parser.add_argument("--max-batch", type=int)
parser.add_argument("--releases", type=int, default=1)
args = parser.parse_args()


def output(records, rng):
    sample = [x for x in records if args.sample_rate == 1 or rng.random() < args.sample_rate]
    if args.max_batch and len(sample) > args.max_batch:
        sample = rng.sample(sample, args.max_batch)
    total = sum(min(max(x, -1), 1) for x in sample)
    return round(sum(rng.gauss(total, args.noise) for _ in range(args.releases)) / args.releases, 6)


for line in sys.stdin:
    request = json.loads(line)
    rng = random.Random(request["seed"])
    outputs = [output(request["input"], rng) for _ in range(request["n"])]
    print(json.dumps({"id": request["id"], "outputs": outputs}), flush=True)
