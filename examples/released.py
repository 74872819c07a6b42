"""Randomized response with e^ε = 3 to a bit, released with probability 1/2, for checkrr audit."""

import json
import random
import sys


def output(bit, rng):
    if rng.random() < 1 / 2:
        return {"part": "silent"}
    return {"part": "told", "value": bit if rng.random() < 3 / 4 else 1 - bit}


for line in sys.stdin:
    request = json.loads(line)
    rng = random.Random(request["seed"])
    outputs = [output(request["input"], rng) for _ in range(request["n"])]
    print(json.dumps({"id": request["id"], "outputs": outputs}), flush=True)
