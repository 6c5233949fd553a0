"""Fitting recovers known coefficients, intervals cover, and stored models predict the same."""

import random
from math import log, sqrt

import advisor_cells as made_up
import numpy as np
import pytest
from chronosketch.advisor.approaches import APPROACHES, GENERAL, POWERS
from chronosketch.advisor.calibration.checks import check_choices, residual_tests
from chronosketch.advisor.calibration.estimating import Candidate, design, estimate
from chronosketch.advisor.calibration.fitting import calibrate, held_out, is_held_out
from chronosketch.advisor.calibration.measurements import Cell, read_measurements
from chronosketch.advisor.cost_model import CostModel
from chronosketch.advisor.terms import TERMS, TIMES_SLIDE, evaluate
from chronosketch.advisor.workloads import Workload

pytestmark = pytest.mark.classic

# nanoseconds for a slide: 300 + 12·S + 0.5·R
TRUTH = {"one": 300.0, "slide": 12.0, "retention": 0.5}
SUM = Candidate("wls", "sum", "wls", tuple(TRUTH))
OLS = Candidate("ols", "sum", "ols", tuple(TRUTH))


def cells_of_truth(seed, noise=0.1, repeats=2):
    rng = random.Random(seed)
    return [
        Cell(
            "variance",
            "made_up",
            Workload(retention, slide),
            TRUTH["slide"] * (factor := 1 + noise * rng.gauss(0, 1)),
            (TRUTH["one"] + TRUTH["retention"] * retention) * factor,
            8.0 * retention,
        )
        for retention in made_up.RETENTIONS
        for slide in (1, 16, 256, 4096)
        for _ in range(repeats)
    ]


@pytest.fixture(scope="module")
def calibrated():
    return calibrate(read_measurements(made_up.lines(), "made up"), 1)


def test_every_approach_has_terms_of_the_list():
    costs = [GENERAL, *(a.costs for a in APPROACHES.values())]
    costs += [a.unbounded_costs for a in APPROACHES.values() if a.unbounded_costs]
    for one in costs:
        assert {*one.update, *one.query, *one.bytes, *one.time} <= set(TERMS)
        assert set(one.update) <= set(TIMES_SLIDE)
    assert set(POWERS) <= set(TERMS)


@pytest.mark.parametrize("name", TIMES_SLIDE)
def test_terms_times_the_slide_are_right(name):
    w = Workload(70_000, 320, 0.01, 1e-4)
    assert evaluate(TIMES_SLIDE[name], w) == pytest.approx(320 * evaluate(name, w))


def test_known_coefficients_come_back():
    cells = cells_of_truth(1, noise=0.05, repeats=20)
    response = estimate(SUM, cells, "time").response
    for name, b, row, i in zip(
        response.terms, response.coefficients, response.covariance, range(3), strict=True
    ):
        assert abs(b - TRUTH[name]) < 4 * sqrt(row[i]), name
        assert b == pytest.approx(TRUTH[name], rel=0.05)


def test_weights_beat_least_squares_if_noise_grows_with_the_value():
    worse, hetero = 0, []
    for seed in range(20):
        cells = cells_of_truth(seed)
        weighted, plain = estimate(SUM, cells, "time"), estimate(OLS, cells, "time")
        exact = np.array([sum(b * evaluate(n, c.workload) for n, b in TRUTH.items()) for c in cells])
        off = [np.median(np.abs(fit.predicted(cells) / exact - 1)) for fit in (weighted, plain)]
        worse += off[0] >= off[1]
        hetero.append([residual_tests(fit, cells).breusch_pagan for fit in (weighted, plain)])
    # if both were equally good, 4 or fewer of 20 would have a probability of 0.6 %
    assert worse <= 4
    # growing noise shows in the residuals of least squares, and not in the weighted ones
    assert np.median([p for p, _ in hetero]) > 0.05 > np.median([p for _, p in hetero])


def test_intervals_have_their_coverage():
    """Prediction intervals cover 95 % of new cells, and confidence intervals 95 % of true coefficients."""
    rng = random.Random(5)
    costs = coefficients = inside = held = 0
    for seed in range(100):
        response = estimate(SUM, cells_of_truth(seed), "time").response
        for _ in range(10):
            w = Workload(rng.uniform(1e3, 1e6), rng.uniform(1, 4096))
            exact = sum(b * evaluate(n, w) for n, b in TRUTH.items())
            predicted = response.predict(w)
            inside += predicted.low <= exact * (1 + 0.1 * rng.gauss(0, 1)) <= predicted.high
            costs += 1
        for i, name in enumerate(response.terms):
            half = response.t * sqrt(response.covariance[i][i])
            held += abs(response.coefficients[i] - TRUTH[name]) <= half
            coefficients += 1
    # three standard deviations of a binomial; ten costs share one fit, so only a third of the fits count
    assert inside / costs > 0.95 - 3 * sqrt(0.95 * 0.05 / (costs / 3))
    assert inside / costs < 0.95 + 3 * sqrt(0.95 * 0.05 / (costs / 3))
    assert held / coefficients > 0.95 - 3 * sqrt(0.95 * 0.05 / (coefficients / 3))


@pytest.mark.parametrize("way", [SUM, OLS])
def test_predictions_match_statsmodels(way):
    cells = cells_of_truth(3)
    fit = estimate(way, cells, "time")
    stored = CostModel.read(model_with(fit.response), "stored").models[0].responses["time"]
    sizes = np.abs(design(way.terms, cells)).max(axis=0)
    for w in (Workload(1_500, 3), Workload(77_777, 1_000), Workload(900_000, 1)):
        x = np.array([[evaluate(name, w) for name in way.terms]]) / sizes
        middle = float(fit.results.predict(x)[0])
        weights = 1 / middle**2 if way is SUM else 1
        low, high = fit.results.get_prediction(x, weights=weights).conf_int(obs=True, alpha=0.05)[0]
        predicted = stored.predict(w)
        assert predicted.value == pytest.approx(max(middle, stored.smallest), rel=1e-9)
        assert predicted.high == pytest.approx(high, rel=1e-9)
        assert predicted.low == pytest.approx(max(0, low), rel=1e-9, abs=1e-9)


def test_a_product_of_powers_is_stored_too():
    cells = cells_of_truth(3)
    fit = estimate(Candidate("powers", "power", "log", ("one", "log_retention", "log_slide")), cells, "bytes")
    stored = CostModel.read(model_with(fit.response), "stored").models[0].responses["time"]
    assert stored.predict(Workload(5_000, 7)).value == pytest.approx(40_000, rel=1e-9)


def model_with(response):
    ranges = {name: [0, 1] for name in ("retention", "slide", "epsilon", "delta")}
    responses = {"time": response.as_json(), "bytes": response.as_json()}
    one = {
        "aggregate": "sum",
        "approach": "x",
        "promise": "exact",
        "cells": 9,
        "ranges": ranges,
        "worst_share": None,
    }
    model = CostModel({}, {}, {}, []).text().replace('"models": []', '"models": MODELS')
    return model.replace("MODELS", made_up.json.dumps([{**one, "responses": responses}]))


def test_no_prediction_is_below_what_was_measured():
    cells = [
        Cell("sum", "x", Workload(r, 10), 1.0, max(5.0, r - 1_000.0), 8.0)
        for r in (2_000, 3_000, 4_000, 5_000)
    ]
    response = estimate(Candidate("ols", "sum", "ols", ("one", "retention")), cells, "query").response
    predicted = response.predict(Workload(10, 10))
    assert predicted.clipped
    assert predicted.value == 1_000
    assert predicted.low <= predicted.value <= predicted.high


def test_a_fifth_of_whole_workloads_is_held_out():
    cells = read_measurements(made_up.lines(), "made up").cells
    chosen = held_out(cells, 3)
    pairs = {(c.aggregate, c.workload.retention, c.workload.slide) for c in cells}
    assert len(pairs) / 6 <= len(chosen) <= len(pairs) / 4
    assert chosen == held_out(list(reversed(cells)), 3) != held_out(cells, 4)
    # both halves of the sorted grid have some, so small and large windows are held out
    for aggregate in ("variance", "quantile", "count"):
        sizes = sorted(pair[1] for pair in chosen if pair[0] == aggregate)
        assert sizes[0] < 64_000 <= sizes[-1]
    for cell in cells:
        assert is_held_out(cell, chosen) == (
            (cell.aggregate, cell.workload.retention, cell.workload.slide) in chosen
        )


def test_held_out_workloads_are_predicted_within_a_fifth(calibrated):
    assert calibrated.left_out == []
    assert {(g.aggregate, g.approach) for g in calibrated.groups} == set(made_up.COSTS)
    for group in calibrated.groups:
        for name in ("time", "bytes"):
            assert group.fitted[name].validated.median_relative < 0.2, (group.approach, name)
            assert set(group.fitted[name].holdout) >= {"wls", "ols"}


def test_choices_are_the_measured_best_or_near_it(calibrated):
    checked = check_choices(calibrated)
    assert len(checked) > 30
    assert all(one.ratio >= 1 for one in checked)
    assert sum(one.ratio <= 1.1 for one in checked) >= 0.95 * len(checked)


def test_unlisted_approaches_are_fitted_with_general_terms():
    rng = random.Random(2)
    w_of = [Workload(r, s, e) for r in made_up.RETENTIONS for s in made_up.SLIDES for e in (0.01, 0.1)]
    costs = (lambda w: 5 + 2 * log(w.retention), lambda w: 100 + w.retention, lambda w: 50 + 3 * w.retention)
    rows = [
        made_up.record("quantile", "new_one", w, costs, lambda: rng.lognormvariate(0, 0.03)) for w in w_of
    ]
    lines = [made_up.json.dumps(row) for row in rows]
    (group,) = calibrate(read_measurements(lines, "made up"), 1).groups
    assert group.measured.promise == "certified"
    assert group.fitted["time"].validated.median_relative < 0.1
    assert group.fitted["bytes"].validated.median_relative < 0.1


def test_cells_of_another_place_and_promises_of_cells():
    lines = made_up.lines(only={("variance", "panes")})
    cells = [made_up.json.loads(line) for line in lines[1:]]
    more = [{**cell, "place": "spark", "update_ns": 1e6} for cell in cells]
    new = [{**cell, "approach": "new_one", "promise": "certified", "delta": 1e-4} for cell in cells]
    texts = [made_up.json.dumps(one) for one in (*cells, *more, *new)]
    found = calibrate(read_measurements(texts, "made up"), 1)
    assert found.left_out == ["cells measured in spark, which models do not mix with those of core"]
    assert [(g.approach, g.measured.promise, len(g.cells)) for g in found.groups] == [
        ("new_one", "certified", 18),
        ("panes", "exact", 18),
    ]


@pytest.mark.parametrize("count", [4, 5, 6, 9])
def test_a_few_cells_are_fitted_with_few_terms(count):
    only = {("variance", "panes"), ("variance", "variance_histogram")}
    lines = [line for name in sorted(only) for line in made_up.lines(only={name})[1:][::3][:count]]
    groups = calibrate(read_measurements(lines, "made up"), 1).groups
    for group in groups:
        for fitted in group.fitted.values():
            assert 1 <= len(fitted.fit.response.terms) <= max(2, len(group.cells) // 2)
            assert all(np.isfinite(fitted.fit.response.coefficients))


def test_equal_costs_are_fitted():
    lines = [
        made_up.json.dumps(made_up.record("sum", "panes", w, (lambda w: 0.0, lambda w: 7.0, lambda w: 64.0)))
        for w in made_up.workloads("panes")
    ]
    (group,) = calibrate(read_measurements(lines, "made up"), 1).groups
    predicted = group.measured.responses["time"].predict(Workload(5_000, 16))
    assert predicted.value == pytest.approx(7)
    assert predicted.low == pytest.approx(7)
