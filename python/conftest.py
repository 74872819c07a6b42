"""All tests ask the program that is in a wheel of this source."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import backend


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    return folder / backend.build_wheel(folder)


@pytest.fixture(scope="session")
def unpacked(wheel, tmp_path_factory):
    """A folder to import the package of the wheel from."""
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(wheel) as content:
        for entry in content.infolist():
            Path(content.extract(entry, folder)).chmod(entry.external_attr >> 16)
    return folder


@pytest.fixture(scope="session", autouse=True)
def program(unpacked):
    os.environ.pop("CHECKRR", None)
    found = subprocess.run([sys.executable, "-c", "import checkrr; print(checkrr.executable())"], cwd=unpacked,
                           check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    os.environ["CHECKRR"] = found
    return found
