"""Turn measurements into files: the cost model and the report."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import TYPE_CHECKING
from warnings import catch_warnings, simplefilter

from chronosketch.advisor.calibration.choosing import check_choices
from chronosketch.advisor.calibration.fitting import calibrate
from chronosketch.advisor.calibration.report import report
from chronosketch.advisor.cost_model import FILE, CostModel

if TYPE_CHECKING:
    from chronosketch.advisor.calibration.choosing import Checked
    from chronosketch.advisor.calibration.fitting import Calibrated
    from chronosketch.advisor.calibration.measurements import Measurements

REPORT = "report.html"


def write(measurements: Measurements, seed: int, folder: Path) -> tuple[Calibrated, list[Checked]]:
    """Fit the models, and write the cost model and the report. Equal measurements give equal files."""
    with catch_warnings():
        # If all bytes are equal, there are no residuals to test; the report shows no result then.
        simplefilter("ignore", RuntimeWarning)
        return _write(measurements, seed, folder)


def _write(measurements: Measurements, seed: int, folder: Path) -> tuple[Calibrated, list[Checked]]:
    calibrated = calibrate(measurements, seed)
    checked = check_choices(calibrated)
    versions = {
        "chronosketch": version("chronosketch"),
        "python": python_version(),
        "statsmodels": version("statsmodels"),
        "seed": seed,
    }
    grid = measurements.grid()
    model = CostModel(measurements.machine, versions, grid, [group.measured for group in calibrated.groups])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / FILE).write_text(model.text(), encoding="utf-8")
    page = report(calibrated, measurements.machine, versions, grid, checked)
    (folder / REPORT).write_text(page, encoding="utf-8")
    return calibrated, checked
