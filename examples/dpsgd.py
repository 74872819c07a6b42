#!/usr/bin/env python3
"""Asks checkrr what a training run with DP-SGD may be charged: dpsgd.py [checkrr]"""
import json
import subprocess
import sys

checkrr = sys.argv[1:] or ["checkrr"]
problem = {"mechanisms": [{"gaussian": {"noise": 1.0, "sampling": 0.01}, "count": 1000}], "stops": [{"every": 250}]}
answer = subprocess.run([*checkrr, "schedule", "-", "--delta", "1e-6", "--json"],
                        input=json.dumps(problem), capture_output=True, text=True)
if answer.returncode:
    sys.exit(answer.stderr)
plan = json.loads(answer.stdout)
for stop in plan["schedule"]:
    print(f"stopped after {stop['after']}: ε = {float(stop['eps']):.3f}, otherwise {float(plan['plain_dp_eps']):.3f}")
