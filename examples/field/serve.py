"""What the Python mechanisms of this folder share: the conversation with checkrr audit."""

import json
import sys

import numpy as np


def rng_of(seed):
    """A generator that the seed of a request, below 2^53, determines."""
    return np.random.RandomState([seed & 0xFFFFFFFF, seed >> 32])


def plain(output):
    """The output as JSON knows it: NaN is a text, and arrays are lists."""
    if isinstance(output, np.ndarray):
        return [plain(each) for each in output.tolist()]
    if isinstance(output, np.generic):
        output = output.item()
    if isinstance(output, float) and output != output:
        return "NaN"
    return output


def answer(request, mechanism):
    """The reply to a request. A mechanism is called with an input and a generator, and
    returns a function that draws one output."""
    draw = mechanism(request["input"], rng_of(request["seed"]))
    return {"id": request["id"], "outputs": [plain(draw()) for _ in range(request["n"])]}


def serve(mechanisms):
    """Answers requests for the mechanism that the command line names."""
    if len(sys.argv) != 2 or sys.argv[1] not in mechanisms:
        sys.exit(f"usage: {sys.argv[0]} MECHANISM, one of {' '.join(mechanisms)}")
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line), mechanisms[sys.argv[1]])), flush=True)
