"""Runs a notebook.

.venv/bin/python tests/python/notebooks.py examples/tour.ipynb stores what its cells show.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

# The cells start Spark, and a busy machine takes its time.
MOST_SECONDS = 300


def read(file):
    """Read a notebook with the outputs that it stores."""
    return nbformat.read(file, as_version=4)


def executed(notebook, folder):
    """Run a notebook in a kernel of its own, in a folder; return it with fresh outputs."""
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
    """Tell what a cell shows: its text, and the kinds of its pictures. The JVM's log is left out."""
    text = "".join(output.text for output in cell.outputs if output.get("name") == "stdout")
    data = [output.data for output in cell.outputs if "data" in output]
    kinds = [sorted(one) for one in data]
    return text, [one.get("text/plain") for one in data], kinds


def write(file):
    """Run a notebook, and store what its cells show."""
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
