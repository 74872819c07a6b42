"""Builds a wheel that carries the program: `pip wheel ./python`, or `python3 python/backend.py FOLDER` without pip.

GOOS and GOARCH say for which system, by default for this one. The same source and the same Go make the same bytes.
"""

import base64
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent  # of the Go module
SYSTEMS = {"linux": "manylinux_2_17_{0}.musllinux_1_1_{0}", "darwin": "macosx_12_0_{0}", "windows": "win_{0}"}
MACHINES = {("linux", "amd64"): "x86_64", ("linux", "arm64"): "aarch64", ("darwin", "amd64"): "x86_64",
            ("darwin", "arm64"): "arm64", ("windows", "amd64"): "amd64", ("windows", "arm64"): "arm64"}


def go(*words):
    environment = {**os.environ, "CGO_ENABLED": "0"}
    return subprocess.run(["go", *words], cwd=SOURCE, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout


def program():
    with tempfile.TemporaryDirectory() as folder:
        go("build", "-trimpath", "-ldflags=-s -w", "-o", f"{folder}/checkrr", "./cmd/checkrr")
        return Path(folder, "checkrr").read_bytes()


def files(info, about, tags):
    """The content of the wheel: names, bytes, and whether they are programs."""
    suffix = ".exe" if go("env", "GOOS").strip() == "windows" else ""
    for file in sorted(HERE.glob("checkrr/*.py")) + [HERE / "checkrr/py.typed"]:
        yield f"checkrr/{file.name}", file.read_bytes(), False
    yield f"checkrr/_bin/checkrr{suffix}", program(), True
    for name in ("LICENSE", "NOTICE"):
        yield f"{info}/licenses/{name}", (SOURCE / name).read_bytes(), False
    yield f"{info}/METADATA", "".join(
        [*(f"{key}: {value}\n" for key, value in about.items()), "Description-Content-Type: text/markdown\n\n",
         (HERE / "README.md").read_text(encoding="utf-8")]).encode(), False
    yield f"{info}/WHEEL", "".join(
        ["Wheel-Version: 1.0\nGenerator: checkrr\nRoot-Is-Purelib: false\n", *(f"Tag: {tag}\n" for tag in tags)]).encode(), False


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Hook of PEP 517."""
    project = dict(re.findall(r'^([\w-]+) = "(.*)"$', (HERE / "pyproject.toml").read_text(encoding="utf-8"), re.M))
    system, machine = go("env", "GOOS", "GOARCH").split()
    platforms = SYSTEMS[system].format(MACHINES[system, machine])
    about = {"Metadata-Version": "2.4", "Name": project["name"], "Version": project["version"],
             "Summary": project["description"], "Requires-Python": project["requires-python"],
             "License-Expression": project["license"], "License-File": "LICENSE\nLicense-File: NOTICE"}
    stem = f"{project['name']}-{project['version']}"
    info, name, record = f"{stem}.dist-info", f"{stem}-py3-none-{platforms}.whl", ""
    with zipfile.ZipFile(Path(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        def add(path, content, is_program=False):
            entry = zipfile.ZipInfo(path)  # without the time of day
            entry.external_attr = (0o100755 if is_program else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)

        for path, content, is_program in files(info, about, [f"py3-none-{p}" for p in platforms.split(".")]):
            add(path, content, is_program)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
            record += f"{path},sha256={digest},{len(content)}\n"
        add(f"{info}/RECORD", record + f"{info}/RECORD,,\n")
    return name


if __name__ == "__main__":
    Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
    print(Path(sys.argv[1], build_wheel(sys.argv[1])))
