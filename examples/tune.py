#!/usr/bin/env python3
"""Private logistic regression with a regularization strength, for checkrr select to choose the best strength.

Each run trains on one half of the people by output perturbation, and scores the model on the other half:

  * It makes 200 steps of gradient descent for (1/n)·Σ ln(1 + e^(−y·⟨w, x⟩)) + (λ/2)·‖w‖², with ‖x‖ ≤ 1. A step of the
    rate r ≤ 1/(1/4 + λ) brings two starting points closer by the factor 1 − rλ, and one person who is replaced moves it
    by at most 2r/n: any number of steps moves by at most 2/(nλ). Noise with the density e^(−EPS·nλ/2·‖b‖) makes the
    model EPS-DP for the half that is trained on (output perturbation: Chaudhuri, Monteleoni and Sarwate 2011).
  * The score is the share of the other half that the model classifies rightly. It changes by at most 1/m, and has
    Laplace noise of the scale 1/(m·EPS): EPS-DP for that half.

One person is in one half only, so that a run, the model with its score, is EPS-DP. The score is cut to [0, 1] after the
noise, which costs nothing. The noise is of the operating system unless --seeded is given, as 53 bits of a seed hide
nothing.

    checkrr select examples/tune.yaml
"""

import argparse
import json
import math
import random
import sys

EPS = 0.33
PEOPLE, DIMENSION, STEPS = 2000, 3, 200


def people():
    """Made-up people: y is 1 or −1, and x, of norm at most 1, leans to one side by it."""
    rng = random.Random(2019)
    all_ = []
    for _ in range(PEOPLE):
        y = rng.choice([-1, 1])
        x = [rng.gauss(0.25 * y if i == 0 else 0.0, 0.25) for i in range(DIMENSION)]
        norm = math.sqrt(sum(v * v for v in x))
        all_.append(([v / max(1.0, norm) for v in x], y))
    return all_[: PEOPLE // 2], all_[PEOPLE // 2 :]


def dot(w, x):
    return sum(a * b for a, b in zip(w, x))


def descended(train, strength):
    """Nearly the minimizer of the regularized loss: some steps of gradient descent."""
    w = [0.0] * DIMENSION
    rate = 1 / (0.25 + strength)
    for _ in range(STEPS):
        gradient = [strength * v for v in w]
        for x, y in train:
            slope = -y / (1 + math.exp(y * dot(w, x))) / len(train)
            for i, v in enumerate(x):
                gradient[i] += slope * v
        w = [v - rate * g for v, g in zip(w, gradient)]
    return w


def accuracy(w, test):
    return sum(1 for x, y in test if y * dot(w, x) > 0) / len(test)


def noise(rng, scale):
    """A vector with the density e^(−‖b‖/scale): a uniform direction, and a length with a Gamma law."""
    length = sum(-scale * math.log(1 - rng.random()) for _ in range(DIMENSION))
    direction = [rng.gauss(0, 1) for _ in range(DIMENSION)]
    norm = math.sqrt(sum(v * v for v in direction))
    return [length * v / norm for v in direction]


def run(w, strength, sizes, rng, test):
    """A private run for the trained weights w: the model, and its score."""
    n, m = sizes
    model = [v + b for v, b in zip(w, noise(rng, 2 / (n * strength * EPS)))]
    score = accuracy(model, test) + math.log((1 - rng.random()) / (1 - rng.random())) / (m * EPS)
    return {"output": [round(v, 6) for v in model], "score": round(min(1.0, max(0.0, score)), 6)}


def main():
    parser = argparse.ArgumentParser(description="private logistic regression, to be selected from")
    parser.add_argument("--seeded", action="store_true",
                        help="draw from the seeds of the requests, which is not private")
    seeded = parser.parse_args().seeded
    train, test = people()
    trained = {}
    for line in sys.stdin:
        request = json.loads(line)
        strength = request["input"]["strength"]
        if strength not in trained:
            trained[strength] = descended(train, strength)
        rng = random.Random(request["seed"]) if seeded else random.SystemRandom()
        outputs = [run(trained[strength], strength, (len(train), len(test)), rng, test) for _ in range(request["n"])]
        # flush: the reply must not wait in a buffer for the next one.
        print(json.dumps({"id": request["id"], "outputs": outputs}), flush=True)


if __name__ == "__main__":
    main()
