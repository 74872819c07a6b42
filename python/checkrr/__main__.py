"""`python -m checkrr …` runs the program with these arguments."""

import subprocess
import sys

from .program import executable

if __name__ == "__main__":
    sys.exit(subprocess.call([executable(), *sys.argv[1:]]))
