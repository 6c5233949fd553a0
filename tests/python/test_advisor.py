"""Advice filters approaches by guidelines, predicts costs from a model, and ranks. It needs no Spark."""

import subprocess
import sys
from dataclasses import FrozenInstanceError, replace
from datetime import timedelta

import advisor_cells as made_up
import chronosketch as cs
import pytest
from chronosketch.advisor import CostModel
from chronosketch.advisor.calibration.fitting import calibrate
from chronosketch.advisor.calibration.measurements import read_measurements
from chronosketch.advisor.cost_model import cost_model
from chronosketch.advisor.guidelines import GUIDELINES
from chronosketch.advisor.workloads import Workload
from chronosketch.errors import ChronosketchError

pytestmark = pytest.mark.classic


@pytest.fixture(scope="module")
def model():
    groups = calibrate(read_measurements(made_up.lines(noise=0.03), "made up"), 1).groups
    return CostModel({}, {}, {}, [group.measured for group in groups], "made-up.json")


@pytest.fixture
def hour(model):
    """Return a function that asks about a window of one hour, 20 rows a second, sliding by a minute."""

    def _hour(aggregate="quantile", **more):
        given = {"retention": "1 hour", "slide": "10 seconds", "rate": 20, "model": model, **more}
        return cs.advise(aggregate=aggregate, **given)

    return _hour


def ranked(advice):
    return [choice.approach for choice in advice if choice.rank]


def excluded(advice):
    return {choice.approach: choice.excluded for choice in advice if choice.excluded}


def test_choices_are_ranked_by_predicted_time(hour):
    advice = hour(epsilon=0.01)
    assert [choice.rank for choice in advice] == [1, 2, 3, None]
    times = [choice.time.value for choice in advice if choice.rank]
    assert times == sorted(times)
    assert advice.best is advice[0]
    assert advice.best.approach == "arasu_manku"
    assert len(advice) == 4
    assert advice[1:] == advice.choices[1:]


def test_predictions_are_near_the_true_costs(hour):
    w = Workload(72_000, 200, 0.01, 1e-4)
    for choice in hour(epsilon=0.01, delta=1e-4):
        update, query, size = (cost(w) for cost in made_up.COSTS["quantile", choice.approach])
        assert choice.time.value == pytest.approx(w.slide * update + query, rel=0.15)
        assert choice.bytes.value == pytest.approx(size, rel=0.15)
        assert choice.time.low < choice.time.value < choice.time.high
        assert choice.load == pytest.approx(choice.time.value / 10e9)
        assert choice.extrapolated == ()


def test_samples_take_a_delta(hour):
    without = hour(epsilon=0.01)
    assert excluded(without) == {"bernoulli": "no delta is given, so answers have to be certain"}
    assert without[-1].guideline.section == "4.8, 4.2"
    assert excluded(hour(epsilon=0.01, delta=1e-4)) == {}


def test_exact_answers_take_exact_approaches(hour):
    advice = hour(delta=1e-4)
    assert ranked(advice) == ["block_sort", "expiration_list"]
    assert set(excluded(advice)) == {"arasu_manku", "bernoulli"}
    assert {choice.promise for choice in advice if choice.rank} == {"exact"}


def test_no_sample_promises_a_variance(hour):
    advice = hour("variance", epsilon=0.01, delta=1e-4)
    assert set(excluded(advice)) == {"biased_reservoir"}
    assert advice[-1].guideline.section == "4.8, 4.5.4"


def test_memory_excludes_and_says_so(hour):
    advice = hour(epsilon=0.01, memory="512k")
    assert ranked(advice) == ["arasu_manku"]
    assert advice.best.within_memory is True
    assert advice.best.guideline.name == "exact answers keep the window"
    assert excluded(advice)["block_sort"].endswith("and memory is 512 KiB")
    nothing = hour(memory=1)
    assert ranked(nothing) == []
    with pytest.raises(ChronosketchError, match=r"^No approach serves this question .*allow more memory"):
        nothing.best  # noqa: B018


def test_a_large_slide_is_recomputed(hour, model):
    advice = hour("variance", slide="1 hour")
    assert advice.best.approach == "expiration_list"
    assert advice.best.guideline.name == "a large slide is recomputed"
    assert advice.best.extrapolated == ("slide",)
    small = hour("variance", slide="0.05 seconds")
    assert small.best.approach in ("panes", "two_stack")
    assert small.best.guideline.name == "recomputing grows with the window"


def test_costs_of_one_aggregate_are_used_for_similar_ones(hour):
    assert ranked(hour("kurtosis")) == ranked(hour("variance"))
    kurtosis = hour("kurtosis", epsilon=0.01, delta=1e-4)
    assert set(ranked(kurtosis)) == {"two_stack", "panes", "expiration_list"}
    assert set(excluded(kurtosis)) == {"variance_histogram", "biased_reservoir"}
    assert ranked(hour("median", epsilon=0.01)) == ranked(hour("quantile", epsilon=0.01))
    # for a sum, the costs of count are used, but not its histogram
    assert "two_stack" in ranked(hour("sum", epsilon=0.01))
    assert "exponential_histogram" in excluded(hour("sum", epsilon=0.01))


def test_panes_serve_bounded_aggregates_only(hour, model):
    panes = next(one for one in model.models if one.approach == "panes")
    more = replace(model, models=[*model.models, replace(panes, aggregate="quantile")])
    assert excluded(hour(model=more))["panes"] == "quantile is unbounded and not differential"


def test_approaches_that_missed_their_error_are_excluded(hour, model):
    models = [
        replace(one, worst_share=1.25) if one.approach == "arasu_manku" else one for one in model.models
    ]
    advice = hour(epsilon=0.01, model=replace(model, models=models))
    assert excluded(advice)["arasu_manku"] == "an error of 1.25 times epsilon was measured"


def test_nearly_equal_times_are_decided_by_memory(hour, model):
    def sized(one, factor):
        smaller = replace(
            one.responses["bytes"], coefficients=(factor,), terms=("one",), covariance=((0.0,),)
        )
        return replace(one, approach=f"x{10_000 - factor:g}", responses={**one.responses, "bytes": smaller})

    one = next(one for one in model.models if (one.aggregate, one.approach) == ("variance", "panes"))
    advice = hour("variance", model=replace(model, models=[sized(one, 9000.0), sized(one, 8000.0)]))
    assert ranked(advice) == ["x2000", "x1000"]
    assert advice.best.guideline.name == "nearly equal times are decided by memory"


def test_extrapolation_is_reported(hour):
    advice = hour(epsilon=0.3, retention="30 days")
    by_name = {choice.approach: choice.extrapolated for choice in advice}
    assert by_name["arasu_manku"] == ("retention", "epsilon")
    assert by_name["expiration_list"] == ("retention",)
    assert "beyond the measured retention" in str(advice)


def test_rows_and_durations_are_the_same_question(hour, model):
    rows = cs.advise(aggregate="quantile", retention_rows=72_000, slide_rows=200, epsilon=0.01, model=model)
    timed = hour(epsilon=0.01, retention=timedelta(hours=1), slide=timedelta(seconds=10))
    assert [c.time for c in rows] == [c.time for c in timed]
    assert [c.load for c in rows] == [None] * 4


def test_advice_prints_a_table(hour):
    text = str(hour(epsilon=0.01, delta=1e-4, memory="64m"))
    lines = text.splitlines()
    assert lines[0] == "quantile of 72,000 rows, every 200 rows, ε = 0.01, δ = 0.0001, memory 64 MiB"
    assert lines[1].split()[0] == "approach"
    assert [line.split()[0] for line in lines[2:6]] == ["1", "2", "3", "4"]
    assert " µs " in lines[2]
    assert all(len(line) <= 80 for line in lines[1:6])
    assert lines[6].startswith("Best because: ")
    assert lines[-2:] == [
        "SELECT * FROM hopping(TABLE(events), event_time => 'time', size => '3600 seconds',",
        "slide => '10 seconds', aggs => array('approx_quantile(value, 0.99, 0.01) AS answer'));",
    ]


def test_advice_about_frames_names_the_setting(model):
    advice = cs.advise(aggregate="median", retention_rows=10_000, slide_rows=1, epsilon=0.01, model=model)
    for choice in advice:
        if choice.excluded:
            assert choice.sql is None
        else:
            setting, query, _ = choice.sql.splitlines()
            assert setting == f"SET spark.chronosketch.sliding.structure = {choice.approach};"
            epsilon = 0 if choice.promise == "exact" else 0.01
            assert f"approx_quantile(value, 0.5, {epsilon}) OVER (ORDER BY time ROWS 9999 PRECEDING)" in query


def test_choices_are_immutable(hour):
    with pytest.raises(FrozenInstanceError):
        hour().best.rank = 2


def test_guidelines_have_names_and_sections():
    assert len({guideline.name for guideline in GUIDELINES}) == len(GUIDELINES) >= 12
    assert all(guideline.section and guideline.text.endswith(".") for guideline in GUIDELINES)


HEAVY = ("pyspark", "numpy", "pandas", "scipy", "statsmodels", "matplotlib", "rich", "typer")

MISTAKES = {
    "aggregate is 'p99': give one of": {"aggregate": "p99"},
    "retention is 'soon', which is not a length of time": {"retention": "soon"},
    "retention is '1 month', which is not a length of time": {"retention": "1 month"},
    "slide is '0 seconds': give a length of time above 0": {"slide": "0 seconds"},
    "slide is 60, of type int: give text": {"slide": 60},
    "retention and retention_rows: both are given": {"retention_rows": 10},
    "slide and slide_rows: neither is given": {"slide": None},
    "retention is '1 hour' without a rate": {"rate": None},
    "rate is -1: give a number of rows": {"rate": -1},
    "rate is nan: give": {"rate": float("nan")},
    "is longer than the retention": {"slide": "2 hours"},
    "epsilon is 1.5: give a share": {"epsilon": 1.5},
    "epsilon is '1': give a share": {"epsilon": "1"},
    "delta is 0: give a chance": {"delta": 0},
    "memory is '64 apples', which is not a size": {"memory": "64 apples"},
    "memory is 0: give a size above 0": {"memory": 0},
    "model is 7, of type int": {"model": 7},
    "nowhere.json does not exist": {"model": "nowhere.json"},
}


@pytest.mark.parametrize("message", MISTAKES)
def test_invalid_questions_are_rejected(hour, message):
    with pytest.raises(ChronosketchError) as raised:
        hour(**MISTAKES[message])
    assert message in str(raised.value)


def test_rows_must_be_positive(model):
    with pytest.raises(ChronosketchError, match="retention_rows is 0: give a number of rows"):
        cs.advise(aggregate="sum", retention_rows=0, slide_rows=1, model=model)


def test_an_aggregate_that_was_not_measured_is_named(hour, model):
    less = replace(model, models=[one for one in model.models if one.aggregate == "count"])
    with pytest.raises(
        ChronosketchError, match=r"made-up.json has no measurements for the aggregate 'quantile'"
    ):
        hour(model=less)


def test_a_stored_model_says_the_same(hour, model, tmp_path):
    file = tmp_path / "cost-model.json"
    file.write_text(model.text(), encoding="utf-8")
    assert hour(epsilon=0.01, model=file).choices == hour(epsilon=0.01).choices
    assert cost_model(file).text() == model.text()


def test_the_default_model_is_that_of_the_package(model, tmp_path, monkeypatch):
    monkeypatch.setattr("chronosketch.advisor.cost_model.files", lambda package: tmp_path)
    with pytest.raises(ChronosketchError, match=r"carries no cost-model.json: run `chronosketch calibrate`"):
        cs.advise(aggregate="sum", retention_rows=10, slide_rows=1)
    (tmp_path / "cost-model.json").write_text(model.text(), encoding="utf-8")
    asked = {"aggregate": "sum", "retention_rows": 72_000, "slide_rows": 100}
    assert cs.advise(**asked).choices == cs.advise(**asked, model=model).choices


BROKEN = {
    '"format": 2,': ('"format": 1,', "has format 2 and this version reads format 1"),
    '"modles"': ('"models"', "has no field 'models'"),
    '"slide_cubed"': ('"slide_log_retention"', "has the term 'slide_cubed'"),
    '"form": "spline"': ('"form": "sum"', "has the form 'spline'"),
    '"scale": "x", "s":': ('"scale":', "which is no number"),
    '"scale": NaN, "s":': ('"scale":', "which is no number"),
    '"u":': ('"t":', "has no field 't'"),
    '"promise": "hoped"': ('"promise": "exact"', "promises 'hoped'"),
    '"tim": {': ('"time": {', "has no response 'time'"),
    '"coefficients": [1,': ('"coefficients": [', "must be of one size"),
    '"ranges": [4], "r": {': ('"ranges": {', "has the range None of retention"),
}


@pytest.mark.parametrize("wrong", BROKEN)
def test_a_broken_model_is_named(model, wrong):
    right, message = BROKEN[wrong]
    text = model.text().replace(right, wrong, 1)
    assert text != model.text()
    with pytest.raises(ChronosketchError) as raised:
        CostModel.read(text, "broken.json")
    assert message in str(raised.value)
    assert "broken.json" in str(raised.value)


@pytest.mark.parametrize("text", ["", "[]", "7", "{", '{"format": 1'])
def test_an_invalid_model_is_named(text):
    with pytest.raises(ChronosketchError, match=r"^broken.json is no (JSON|cost model)"):
        CostModel.read(text, "broken.json")


def test_advice_loads_neither_spark_nor_numpy(model, tmp_path):
    file = tmp_path / "cost-model.json"
    file.write_text(model.text(), encoding="utf-8")
    program = (
        "import sys, chronosketch as cs\n"
        f"a = cs.advise(aggregate='median', retention_rows=9000, slide_rows=9, model={str(file)!r})\n"
        "print(a.best.approach)\n"
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout == "block_sort\n[]\n"
