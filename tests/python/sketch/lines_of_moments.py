"""Write the lines about moments in golden texts."""

from chronosketch.sketch.codec import doubles
from chronosketch.sketch.moments.bounds import MOMENTS, Moments
from chronosketch.sketch.moments.comoments import ComomentsSketch
from chronosketch.sketch.moments.sketch import MomentsSketch


def some(value, text=doubles.text):
    return "None" if value is None else f"Some({text(value)})"


def answered(value):
    return "None" if value is None else f"Answer({doubles.text(value)},0)"


def moments(sketch):
    yield f"least {some(sketch._least_key, str)}"
    yield f"greatest {some(sketch._greatest_key, str)}"
    yield f"sum {some(sketch.sum())}"
    yield f"exact sum {some(sketch.exact_sum, lambda d: format(d, 'f'))}"
    yield f"mean {some(sketch.mean())}"
    yield f"VariancePop {answered(sketch.variance(population=True))}"
    yield f"VarianceSamp {answered(sketch.variance())}"
    yield f"StddevPop {answered(sketch.stddev(population=True))}"
    yield f"StddevSamp {answered(sketch.stddev())}"
    yield f"Skewness {answered(sketch.skewness())}"
    yield f"Kurtosis {answered(sketch.kurtosis())}"
    yield f"Squares {answered(sketch.squares)}"


def bounded(sketch):
    low, high = sketch.count_bounds
    yield f"between ({low},{high})"
    for moment in MOMENTS:
        bounds = sketch.moment_bounds(moment)
        text = None if bounds is None else ",".join(map(doubles.text, bounds))
        yield f"{moment} {'None' if text is None else f'Some(MomentBounds({text}))'}"


def comoments(sketch):
    pairs, units = sketch.pairs, sketch.units
    yield f"x type {sketch.x_type}"
    for name in ("totals", "means", "squares"):
        both = (None, None) if pairs is None else getattr(pairs, name)(*units)
        yield f"{'sums' if name == 'totals' else name} {some(both[0])}, {some(both[1])}"
    yield f"CovarPop {answered(sketch.covar(population=True))}"
    yield f"CovarSamp {answered(sketch.covar())}"
    yield f"Corr {answered(sketch.corr())}"
    yield f"RegrSlope {answered(sketch.slope())}"
    yield f"RegrIntercept {answered(sketch.intercept())}"
    yield f"RegrR2 {answered(sketch.r2())}"
    yield f"RegrSxy {answered(None if pairs is None else pairs.products_of_distances(*units))}"


LINES = {MomentsSketch: moments, ComomentsSketch: comoments, Moments: bounded}
