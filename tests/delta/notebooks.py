"""Run notebooks.

.venv/bin/python tests/delta/notebooks.py examples/tour.ipynb updates the stored outputs.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

# Cells start Spark, which is slow on a busy machine.
MOST_SECONDS = 300


def read(file):
    """Read a notebook with its stored outputs."""
    return nbformat.read(file, as_version=4)


def executed(notebook, folder):
    """Run a notebook in a new kernel, in a folder. Return it with fresh outputs."""
    again = nbformat.from_dict(notebook)
    quiet = {
        **os.environ,
        "IPYTHONDIR": f"{folder}/ipython",
        "JUPYTER_RUNTIME_DIR": f"{folder}/runtime",
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    place = {"metadata": {"path": str(folder)}}
    client = NotebookClient(
        again, timeout=MOST_SECONDS, kernel_name="python3", resources=place, record_timing=False
    )
    client.execute(env=quiet)
    return again


def shown(cell):
    """Return the text of a cell's output and the types of its pictures. The JVM's log is left out."""
    text = "".join(output.text for output in cell.outputs if output.get("name") == "stdout")
    data = [output.data for output in cell.outputs if "data" in output]
    kinds = [sorted(one) for one in data]
    return text, [one.get("text/plain") for one in data], kinds


def write(file):
    """Run a notebook and store its outputs."""
    with tempfile.TemporaryDirectory() as folder:
        again = executed(read(file), folder)
    for cell in again.cells:
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
    nbformat.validate(again)
    nbformat.write(again, file)


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        write(Path(argument))
