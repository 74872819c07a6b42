#!/usr/bin/env python3
"""A mechanism that checkrr can run on all that its noise can be: how many ones are in a list, plus
two small numbers that checkrr gives it. See audit-noise.yaml and docs/audit-protocol.md.
"""

import json
import sys

for line in sys.stdin:
    request = json.loads(line)
    count = sum(request["input"])
    # One output for each noise, in their order. Nothing is drawn here.
    outputs = [count + sum(noise) for noise in request["noise"]]
    print(json.dumps({"id": request["id"], "outputs": outputs}), flush=True)
