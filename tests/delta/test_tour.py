"""The tour: its stored outputs are those of a fresh run. It keeps a roll-up, so it needs Delta Lake."""

from pathlib import Path

import notebooks

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_tour(tmp_path):
    notebook = notebooks.read(EXAMPLES / "tour.ipynb")
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert len(code) > 10
    assert not [cell.source for cell in code for output in cell.outputs if output.get("name") == "stderr"]
    fresh = [cell for cell in notebooks.executed(notebook, tmp_path).cells if cell.cell_type == "code"]
    for cell, again in zip(code, fresh, strict=True):
        assert notebooks.shown(cell) == notebooks.shown(again), cell.source
    assert any("image/png" in kinds for cell in fresh for kinds in notebooks.shown(cell)[2])
