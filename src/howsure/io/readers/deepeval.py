"""DeepEval test runs."""

from collections.abc import Mapping
from typing import Any

from howsure.io.readers.base import Glance, Header, Reader, Row, Rows, array_of, at, id_of


def recognises(glance: Glance) -> bool:
    """Take an object with `testCases`, alone or within `testRunData`."""
    cases = at(glance.first, "testRunData", "testCases") or glance.first.get("testCases")
    return isinstance(cases, list) and bool(cases) and "metricsData" in cases[0]


def rows(glance: Glance, header: Header) -> Rows:
    """Yield a row for each case and metric; the judge is the rater."""
    wrapped = "testRunData" in glance.first
    about: dict[str, Any] = {}
    for case in array_of(glance, *(("testRunData",) if wrapped else ()), "testCases", header=about):
        item = id_of(case["name"] if case.get("name") else case["order"])
        for metric in case.get("metricsData") or ():
            failed = bool(metric.get("error"))
            value = None if failed else metric.get("score")
            judge = metric.get("evaluationModel")
            yield Row(
                item,
                value,
                str(metric["name"]),
                rater=judge if isinstance(judge, str) else None,
                lacks="errored" if failed else "unscored" if value is None else "",
                check=id_of(case.get("input")),
            )
    settings = about.get("hyperparameters")
    model = settings.get("model") if isinstance(settings, Mapping) else None
    header.model = model if isinstance(model, str) and model else glance.path.stem
    if header.model == glance.path.stem:
        header.notes.append(f"{glance.name} names no model, so it is called by its file, {header.model}.")


READER = Reader(
    "deepeval", "a DeepEval test run", recognises, rows, "a metric of one test case, by judge", kinds=("json",)
)
