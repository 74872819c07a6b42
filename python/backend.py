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
METADATA = """Metadata-Version: 2.4
Name: {name}
Version: {version}
Summary: {description}
Requires-Python: {requires-python}
License-Expression: {license}
License-File: LICENSE
License-File: NOTICE
Description-Content-Type: text/markdown

{about}"""
WHEEL = """Wheel-Version: 1.0
Generator: checkrr
Root-Is-Purelib: false
"""


def go(*words):
    environment = {**os.environ, "CGO_ENABLED": "0"}
    done = subprocess.run(["go", *words], cwd=SOURCE, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout


def program():
    with tempfile.TemporaryDirectory() as folder:
        go("build", "-trimpath", "-ldflags=-s -w", "-o", f"{folder}/checkrr", "./cmd/checkrr")
        return Path(folder, "checkrr").read_bytes()


def files(system, info, project, tags):
    """What is in the wheel, by name, but for its record."""
    yield from ((f"checkrr/{file.name}", file.read_bytes()) for file in sorted(HERE.glob("checkrr/*.py")))
    yield "checkrr/py.typed", b""
    yield "checkrr/_bin/checkrr" + (".exe" if system == "windows" else ""), program()
    yield from ((f"{info}/licenses/{name}", (SOURCE / name).read_bytes()) for name in ("LICENSE", "NOTICE"))
    about = (HERE / "README.md").read_text(encoding="utf-8")
    yield f"{info}/METADATA", METADATA.format(**project, about=about).encode()
    yield f"{info}/WHEEL", (WHEEL + "".join(f"Tag: {tag}\n" for tag in tags)).encode()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """The hook of PEP 517: builds the wheel in a folder, and returns its name."""
    project = dict(re.findall(r'^([\w-]+) = "(.*)"$', (HERE / "pyproject.toml").read_text(encoding="utf-8"), re.M))
    system, machine = go("env", "GOOS", "GOARCH").split()
    platforms = SYSTEMS[system].format(MACHINES[system, machine])
    stem, record = f"{project['name']}-{project['version']}", ""
    info, name = f"{stem}.dist-info", f"{stem}-py3-none-{platforms}.whl"
    with zipfile.ZipFile(Path(wheel_directory, name), "w") as wheel:
        def add(path, content):
            entry = zipfile.ZipInfo(path)  # without the time of day
            entry.external_attr = (0o100755 if "/_bin/" in path else 0o100644) << 16
            wheel.writestr(entry, content, zipfile.ZIP_DEFLATED)

        for path, content in files(system, info, project, [f"py3-none-{tag}" for tag in platforms.split(".")]):
            add(path, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
            record += f"{path},sha256={digest},{len(content)}\n"
        add(f"{info}/RECORD", record + f"{info}/RECORD,,\n")
    return name


if __name__ == "__main__":
    Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
    print(Path(sys.argv[1], build_wheel(sys.argv[1])))
