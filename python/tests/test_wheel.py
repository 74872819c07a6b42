import base64
import csv
import hashlib
import os
import subprocess
import sys
import zipfile

import pytest

import backend


def test_record(wheel):
    with zipfile.ZipFile(wheel) as content:
        rows = list(csv.reader(content.read("checkrr-0.1.0.dist-info/RECORD").decode().splitlines()))
        assert [row[0] for row in rows] == content.namelist()
        for name, digest, size in rows[:-1]:
            got = content.read(name)
            algorithm, encoded = digest.split("=", 1)
            assert len(got) == int(size)
            assert base64.urlsafe_b64decode(encoded + "=") == hashlib.new(algorithm, got).digest()
        assert not any(name.startswith(("tests/", "/")) or ".." in name for name in content.namelist())
        modes = {entry.filename: entry.external_attr >> 16 & 0o777 for entry in content.infolist()}
        assert [name for name, mode in modes.items() if mode == 0o755] == [n for n in modes if "_bin/" in n] != []


def test_metadata(wheel):
    with zipfile.ZipFile(wheel) as content:
        about = content.read("checkrr-0.1.0.dist-info/METADATA").decode()
        tags = content.read("checkrr-0.1.0.dist-info/WHEEL").decode()
    assert "\nName: checkrr\nVersion: 0.1.0\n" in about and "\n\n# checkrr" in about
    assert [f"py3-none-{tag}" for tag in wheel.stem.split("-")[-1].split(".")] == \
        [line[5:] for line in tags.splitlines() if line.startswith("Tag: ")]


def test_package_of_the_wheel(unpacked, tmp_path):
    environment = {key: value for key, value in os.environ.items() if key != "CHECKRR"}
    done = subprocess.run([sys.executable, "-m", "checkrr", "optdel", "--mech", "exp_eps=3/2", "--stop",
                           "after=1,exp_eps=1", "--exact"], cwd=tmp_path, check=True, capture_output=True, text=True,
                          env={**environment, "PYTHONPATH": str(unpacked), "PATH": str(tmp_path)})
    assert "1/5" in done.stdout


@pytest.mark.parametrize("system, machine, tag, name", [("windows", "arm64", "win_arm64", "checkrr.exe"),
                                                        ("darwin", "amd64", "macosx_12_0_x86_64", "checkrr")])
def test_other_systems(monkeypatch, tmp_path, system, machine, tag, name):
    monkeypatch.setenv("GOOS", system)
    monkeypatch.setenv("GOARCH", machine)
    monkeypatch.setattr(backend, "program", lambda: b"program")
    with zipfile.ZipFile(tmp_path / backend.build_wheel(tmp_path)) as content:
        assert content.filename.endswith(f"-py3-none-{tag}.whl") and content.read(f"checkrr/_bin/{name}") == b"program"
