"""Write the lines about panes and windows of panes in golden texts."""

from chronosketch.sketch.codec import doubles
from chronosketch.sketch.qlove.pane import QlovePane
from chronosketch.sketch.qlove.sketch import QloveSketch


def answered(found):
    key, value = found.estimate.key, doubles.text(found.estimate.value)
    way = f"by {found.method}: {found.reason}; {found.reached} of {found.need}"
    return f"quantile {found.phi} {key}, {value} {way}"


def of_pane(pane):
    yield f"query {pane.query}"
    yield f"distinct {pane.distinct}"
    yield from map(answered, pane.finish().answers)


def of_window(sketch):
    yield f"query {sketch.query}"
    yield f"panes {sketch.panes}"
    yield f"times {sketch.time_domain.sql}"
    for i, found in enumerate(sketch.answers):
        burst = {None: "unknown", True: "true", False: "false"}[sketch.is_bursty(i)]
        yield f"{answered(found)}; burst {burst}, bound {doubles.text(sketch.bound(i))}"


LINES = {QlovePane: of_pane, QloveSketch: of_window}
