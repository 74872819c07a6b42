#!/usr/bin/env python3
"""What a run with DP-SGD is charged that stops early: by checkrr schedule, and by accountants that know no stops.

Prints a table of ε at δ. They charge what all planned steps cost, wherever the run stops. The last columns are what
they would charge if just that number of steps had been planned: nobody may charge that who chooses the step while
looking.
"""
import argparse
import json
import os
import subprocess
import sys

if "DP_ACCOUNTING" in os.environ:  # the folder that holds the package, where it is not installed
    sys.path.insert(0, os.environ["DP_ACCOUNTING"])
import dp_accounting

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--checkrr", default="checkrr", help="the program")
parser.add_argument("--noise", type=float, default=1.0)
parser.add_argument("--sampling", type=float, default=0.01)
parser.add_argument("--count", type=int, default=2000)
parser.add_argument("--every", type=int, default=100, help="steps from stop to stop")
parser.add_argument("--delta", type=float, default=1e-6)
given = parser.parse_args()

step = dp_accounting.PoissonSampledDpEvent(given.sampling, dp_accounting.GaussianDpEvent(given.noise))


def pld(steps):
    return dp_accounting.pld.PLDAccountant().compose(step, steps).get_epsilon(given.delta)


def rdp(steps):
    return dp_accounting.rdp.RdpAccountant().compose(step, steps).get_epsilon(given.delta)


mechanism = {"gaussian": {"noise": given.noise, "sampling": given.sampling}, "count": given.count}
problem = {"mechanisms": [mechanism], "stops": [{"every": given.every}]}
done = subprocess.run([given.checkrr, "schedule", "-", "--delta", repr(given.delta), "--json"],
                      input=json.dumps(problem), capture_output=True, text=True)
if done.returncode:
    sys.exit(done.stderr)
all_pld, all_rdp = pld(given.count), rdp(given.count)
print("| stop after | checkrr | by Lemma 11 | PLD | RDP | PLD of these steps | RDP of these steps |")
print("|---:|---:|---:|---:|---:|---:|---:|")
for stop in json.loads(done.stdout)["schedule"]:
    after = stop["after"]
    charges = [stop["eps"], stop["lemma11_eps"], all_pld, all_rdp, pld(after), rdp(after)]
    print("| " + " | ".join([str(after)] + [f"{eps:.3f}" for eps in charges]) + " |")
