#!/usr/bin/env python3
"""Audits what people run, and prints a table: python3 run.py [FOLDER or FILE …]

Needs checkrr on the path. A folder has audit files, a program that they name, and one that
shows the same by counting, without checkrr: "hand NAME" prints what it counted, or nothing,
and "hand version" what it looks at. A folder whose package is not installed is skipped.
"""

import json
import pathlib
import resource
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
HANDS = {"google-go": ["go", "run", "./hand"], "npm": ["node", "hand.js"]}
HEAD = "| mechanism | inputs | claim | verdict | event, or what would have been seen | outputs of each | CPU s " \
       "| by hand |\n" \
       "|---|---|---|---|---|---:|---:|---|"


def hand(folder, name):
    """What a folder's own counting says of an audit file, or None if it cannot run."""
    command = HANDS.get(folder.name, ["python3", "hand.py"]) + [name]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"{folder.name}: {' '.join(command)}: {done.stderr.strip()[-300:]}", file=sys.stderr)
        return None
    return done.stdout.strip()


def audit(file):
    """The report of checkrr, and the processor time in seconds that it and the program took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(["checkrr", "audit", "--json", str(file)], capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if not done.stdout:
        raise RuntimeError(f"{file}: {done.stderr}")
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(done.stdout), used


def claim(report):
    part = report["claim"]["parts"][0]
    eps = part.get("eps", part.get("exp_eps"))
    return f"({eps}, {report['claim']['delta']})" if float(report["claim"]["delta"]) else f"ε = {eps}"


def shortened(text, most=90):
    return text if len(text) <= most else text[:most - 1] + "…"


def finding(report):
    """The event that refutes, with its counts; or the smallest violation that would have been found."""
    sampled = report["sampled"]
    witness = sampled.get("witness")
    if witness:
        event = shortened("; ".join(line.strip() for line in witness["event"]))
        return f"`{event}`: {witness['hits'][0]} of {witness['outputs']} against {witness['hits'][1]}"
    seen = sampled["seen"]
    eps = [each["eps"] for each in seen["eps"] if each["eps"] is not None]
    said = [f"a leak of {seen['delta']:.2g}"] if seen["delta"] is not None else []
    said += [f"ε of {eps[0]:.3g}"] if eps else []
    low = "; its last bits tell the inputs apart" if sampled["low_bits_differ"] else ""
    return "would have seen " + (" or ".join(said) or "nothing") + low


def inputs(file):
    """x and x2 of the file's one pair."""
    line = next(line for line in file.read_text().splitlines() if "{x:" in line)
    x, x2 = line.strip(" -{}").removeprefix("x: ").split(", x2: ")
    return f"{x} and {x2}"


def row(file):
    report, seconds = audit(file)
    title = file.read_text().splitlines()[1].removeprefix("# ")  # behind the line for editors
    verdict = {"refuted": "**refuted**", "passed": "no violation found"}.get(report["verdict"], report["verdict"])
    bits = ", bits" if report["sampled"]["bits"] else ""
    return (f"| {title} | {inputs(file)} | {claim(report)}{bits} | {verdict} | {finding(report)} "
            f"| {report['sampled']['samples']:,} | {seconds:.1f} | {hand(file.parent, file.stem) or '–'} |")


def main():
    chosen = [pathlib.Path(name).resolve() for name in sys.argv[1:]] or sorted(p for p in HERE.iterdir() if p.is_dir())
    folders = dict.fromkeys(path if path.is_dir() else path.parent for path in chosen)
    for folder in folders:
        version = hand(folder, "version")
        if version is None:
            print(f"{folder.name}: skipped", file=sys.stderr)
            continue
        print(f"\n### {version}\n\n{HEAD}")
        for file in sorted(folder.glob("*.yaml")):
            if folder in chosen or file in chosen:
                print(row(file), flush=True)


if __name__ == "__main__":
    main()
