"""The largest memory of a process that does one run at H = 40, N = 5000, torch included."""

import subprocess
import sys

from benchmarks.timing import Row

CODE = """
import resource, sys
from ppe_core.__main__ import main
main(["run", "--horizon", "40", "--samples", "5000"])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def measure() -> list[Row]:
    output = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True).stdout
    unit = 2**20 if sys.platform == "darwin" else 2**10  # ru_maxrss is in bytes there, in kilobytes elsewhere
    megabytes = int(output.splitlines()[-1]) / unit
    return [Row("largest memory at H=40, N=5000", f"{megabytes:.0f} MB", "< 600 MB", megabytes < 600)]
