#!/usr/bin/env python3
"""ε of long runs with tiny sampling rates, and of noise that falls: checkrr compose beside dp_accounting's PLD.

README.md says how to get that. Each problem is run in turn by both, --repeat times, and the smallest times count.
"""
import json
import re
import subprocess
import sys
import time

from dpsgd import arguments, processor, short

TEN = [(round(2 - i / 10, 1), .005, 200) for i in range(10)]
THIRTY = [(round(2 * .97 ** i, 4), 256 / 60000, 235) for i in range(30)]
PROBLEMS = [  # name, (noise, rate, count) of its steps, δ, the grid for dp_accounting
    ("σ = 1, rate 1e-4, 10⁴ steps", [(1, 1e-4, 10**4)], 1e-6, 1e-5),
    ("σ = 1, rate 1e-4, 10⁵ steps", [(1, 1e-4, 10**5)], 1e-8, 1e-5),
    ("σ = 1, rate 1e-5, 10⁵ steps", [(1, 1e-5, 10**5)], 1e-8, 1e-5),
    ("σ = 1, rate 1e-6, 10⁶ steps", [(1, 1e-6, 10**6)], 1e-8, 1e-5),
    ("σ = 0.8, rate 5e-4, 20,000 steps", [(.8, 5e-4, 20_000)], 1e-6, 1e-5),
    ("σ = 100, rate 0.01, 10⁷ steps", [(100, .01, 10**7)], 1e-6, 1e-4),
    ("σ from 2 to 1.1 in 10 epochs of 200, rate 0.005", TEN, 1e-6, 1e-4),
    ("σ from 2 to 0.83 in 30 epochs of 235, rate 256/60000", THIRTY, 1e-6, 1e-4),
]


def by_peer(parts, delta, grid):
    """In a process of its own: ε, and the seconds after the import."""
    from dp_accounting.pld import privacy_loss_distribution as pld
    start, run = time.perf_counter(), None
    for noise, rate, count in parts:
        step = pld.from_gaussian_mechanism(noise, value_discretization_interval=grid, sampling_prob=rate)
        epoch = step.self_compose(count)
        run = run.compose(epoch) if run else epoch
    return {"upper": run.get_epsilon_for_delta(delta), "seconds": time.perf_counter() - start}


def peer_command(parts, delta, grid):
    return [sys.executable, __file__, "--child", json.dumps([parts, delta, grid])], None


def checkrr_command(parts, delta, _):
    steps = [{"gaussian": {"noise": noise, "sampling": rate}, "count": count} for noise, rate, count in parts]
    command = [given.checkrr, "compose", "-", "--delta", repr(delta), "--rel-width", "1e-4", "--json"]
    return command, json.dumps({"mechanisms": steps})


def measure(command, problem):
    used = processor()
    done = subprocess.run(command, input=problem, capture_output=True, text=True)
    if done.returncode not in (0, 3):  # 3: the interval holds, but is wider than asked for
        sys.exit(done.stderr)
    answer = json.loads(done.stdout)
    return {**answer.get("eps", answer), "seconds": answer["seconds"], "processor": processor() - used}


if __name__ == "__main__":
    given = arguments(__doc__, "problems whose name matches")
    if given.child:
        print(json.dumps(by_peer(*json.loads(given.child))))
        sys.exit()
    print("| steps | δ | checkrr: ε | s | processor "
          "| dp_accounting: grid | ε at most | s | processor | × | × processor |")
    print("|---|---|---|---:|---:|---|---|---:|---:|---:|---:|")
    for name, *problem in PROBLEMS:
        if not re.search(given.only, name):
            continue
        best = []
        rounds = [[measure(*make(*problem)) for make in (checkrr_command, peer_command)] for _ in range(given.repeat)]
        for of in zip(*rounds):
            best.append({**of[0], **{key: min(run[key] for run in of) for key in ("seconds", "processor")}})
        us, peer = best
        times = [[short(of["seconds"]), short(of["processor"])] for of in best]
        ratios = [short(us[key] / peer[key]) for key in ("seconds", "processor")]
        cells = [name, f"{problem[1]:g}", f"[{us['lower']:.6g}, {us['upper']:.6g}]", *times[0],
                 f"{problem[2]:g}", f"{peer['upper']:.6g}", *times[1], *ratios]
        print("| " + " | ".join(cells) + " |", flush=True)
