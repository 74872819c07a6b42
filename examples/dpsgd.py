#!/usr/bin/env python3
"""Asks checkrr what a training run with DP-SGD may be charged: dpsgd.py [checkrr], by default the one on the path or, if there is none, this source."""
import json
import pathlib
import shutil
import subprocess
import sys

source = ["go", "-C", str(pathlib.Path(__file__).resolve().parent.parent), "run", "./cmd/checkrr"]
checkrr = sys.argv[1:] or (["checkrr"] if shutil.which("checkrr") else source)
problem = {"mechanisms": [{"gaussian": {"noise": 1.0, "sampling": 0.01}, "count": 1000}], "stops": [{"every": 250}]}
answer = subprocess.run([*checkrr, "schedule", "-", "--delta", "1e-6", "--json"],
                        input=json.dumps(problem), capture_output=True, text=True)
if answer.returncode:
    sys.exit(answer.stderr)
plan = json.loads(answer.stdout)
for stop in plan["schedule"]:
    print(f"stopped after {stop['after']}: ε = {float(stop['eps']):.3f}, otherwise {float(plan['plain_dp_eps']):.3f}")
