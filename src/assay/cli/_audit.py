"""The tables of `assay audit`: rejections, estimated p, coverage, and LEADER's smallest errors."""

from typing import TYPE_CHECKING

from assay.auditing.cell import SAME, SPLIT
from assay.auditing.estimators import EXPECTED, NO_SCHEME, SIGN_CHANGE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from assay.auditing import Audit, IntervalRow, TestRow

Kind = tuple[float, str]


def tests(found: "Audit", n_items: int, n_responses: int) -> str:
    """Rejections by test and kind of data, and how far estimated p is from true p."""
    rows = [row for row in found.tests if (row.n_items, row.n_responses) == (n_items, n_responses)]
    kinds = _kinds(rows)
    metrics = list(dict.fromkeys(row.metric for row in rows))
    estimators = sorted(dict.fromkeys((row.metric, _test(row)) for row in rows), key=lambda key: metrics.index(key[0]))
    cells = {(row.metric, _test(row), row.epsilon, row.truth): row for row in rows}
    first = [["metric", "p-value", *map(_kind, kinds)]]
    first += [[*key, *(_rejected(cells.get((*key, *kind))) for kind in kinds)] for key in estimators]
    guessed = [kind for kind in kinds if kind[1] != SPLIT]
    second = [["metric", "p-value", *(f"ε = {epsilon:g}" for epsilon, _ in guessed)]]
    second += [[metric, "true p", *(_true(rows, metric, kind) for kind in guessed)] for metric in metrics]
    second += [[*key, *(_error(cells.get((*key, *kind))) for kind in guessed)] for key in estimators]
    size = f"{n_items:,} items × {n_responses} responses"
    return "\n".join([
        f"{size}: rejected at a nominal {100 * found.alpha:g} %, in percent [95 % interval]; power where B is worse",
        *aligned(first),
        "",
        f"{size}: estimated p − true p ± Monte-Carlo error; spread over data sets; mean absolute error",
        *aligned(second),
    ])  # fmt: skip


def intervals(found: "Audit", n_items: int, n_responses: int) -> str:
    """Coverage and mean width by interval and kind of data; nothing where no interval was asked for."""
    rows = [row for row in found.intervals if (row.n_items, row.n_responses) == (n_items, n_responses)]
    if not rows:
        return ""
    kinds = _kinds(rows)
    metrics = list(dict.fromkeys(row.metric for row in rows))
    cells = {(row.metric, f"{row.interval} ({row.scheme})", row.epsilon, row.truth): row for row in rows}
    names = sorted(dict.fromkeys(key[:2] for key in cells), key=lambda key: metrics.index(key[0]))
    lines = [["metric", "interval", *map(_kind, kinds)]]
    lines += [[*key, *(_covered(cells.get((*key, *kind))) for kind in kinds)] for key in names]
    size, level = f"{n_items:,} items × {n_responses} responses", f"{100 * found.confidence_level:g} %"
    return "\n".join(
        [f"{size}: coverage of {level} intervals, in percent [95 % interval]; mean width", *aligned(lines)]
    )


def smallest(found: "Audit", by: str) -> str:
    """LEADER's tables 1 and 2 (3 and 4): the smallest error of estimated p, with the mean error that they leave out."""
    rows = [row for row in found.smallest if row.by == by and row.truth != SPLIT]
    epsilons = list(dict.fromkeys(row.epsilon for row in rows))
    lines = [[by, "n", *(f"ε = {epsilon:g}" for epsilon in epsilons)]]
    for name in dict.fromkeys(row.name for row in rows):
        cells = {row.epsilon: f"{row.smallest:.5f} ({row.mean:.3f})" for row in rows if row.name == name}
        n = next(row.n for row in rows if row.name == name)
        lines.append([name, str(n), *(cells[epsilon] for epsilon in epsilons)])
    other = "metrics" if by == "scheme" else "schemes"
    return "\n".join([
        f"LEADER's layout: smallest error of estimated p among the {other} (mean error of all of them)", *aligned(lines)
    ])  # fmt: skip


def findings(found: "Audit") -> str:
    """Say where LEADER's findings hold on these numbers, and where they do not."""
    rows = [row for row in found.smallest if row.by == "scheme" and row.truth != SPLIT]
    epsilons = list(dict.fromkeys(row.epsilon for row in rows))
    best = {
        criterion: [
            min((row for row in rows if row.epsilon == e), key=lambda row: getattr(row, criterion)) for e in epsilons
        ]
        for criterion in ("smallest", "mean")
    }
    lines = [
        f"Best scheme by {words}: " + ", ".join(f"{row.name} at ε = {row.epsilon:g}" for row in best[criterion]) + "."
        for criterion, words in (
            ("smallest", "the smallest error among metrics, LEADER's criterion"),
            ("mean", "the mean error of all its metrics"),
        )
    ]
    hidden = max(best["smallest"], key=lambda row: row.mean - row.smallest)
    lines.append(
        f"The smallest hides the rest: {hidden.name} at ε = {hidden.epsilon:g} has {hidden.smallest:.3f} by the metric "
        f"that happens to be nearest, {hidden.mean:.3f} on average and {hidden.largest:.3f} by the worst of {hidden.n}."
    )
    kept = [row for row in found.tests if row.null == SIGN_CHANGE and row.scheme == "bootstrap/all"]
    nulls = [row for row in kept if row.truth == SAME]
    if nulls:
        rejected, n = sum(row.rejected for row in nulls), sum(row.n_data_sets for row in nulls)
        lines.append(
            "(bootstrap_items, all) pools what it keeps, so its null contrasts are exactly 0: its estimated p is the "
            "bootstrap probability that the contrast changes sign. Read at "
            f"{100 * found.alpha:g} % it rejects {100 * rejected / n:.1f} % of true nulls (ε = 0)."
        )
    return "\n".join(lines)


def aligned(rows: "Sequence[Sequence[str]]") -> list[str]:
    """Put cells under each other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _kinds(rows: "Iterable[TestRow | IntervalRow]") -> list[Kind]:
    return list(dict.fromkeys((row.epsilon, row.truth) for row in rows))


def _kind(kind: Kind) -> str:
    epsilon, truth = kind
    return truth if truth == SAME else f"{truth} {epsilon:g}"


def _test(row: "TestRow") -> str:
    if row.scheme == NO_SCHEME:
        return row.null
    return f"{row.null} ({row.scheme}{', expected' if row.pvalue == EXPECTED else ''})"


def _rejected(row: "TestRow | None") -> str:
    if row is None:  # a preset measures some estimators on some kinds of data only
        return ""
    return _share(row.rate, row.rate_interval) if row.n_data_sets else "undefined"


def _covered(row: "IntervalRow | None") -> str:
    if row is None:
        return ""
    return f"{_share(row.coverage, row.coverage_interval)}; {row.width:.3g}" if row.n_data_sets else "undefined"


def _error(row: "TestRow | None") -> str:
    if row is None or not row.n_data_sets:
        return "" if row is None else "undefined"
    return f"{row.bias:+.3f} ± {row.bias_se:.3f}; {row.spread:.3f}; {row.absolute_error:.3f}"


def _share(share: float, ends: tuple[float, float]) -> str:
    return f"{100 * share:.1f} [{100 * ends[0]:.0f}, {100 * ends[1]:.0f}]"


def _true(rows: "Iterable[TestRow]", metric: str, kind: Kind) -> str:
    """Return the true p; where some schemes keep one response, theirs follows."""
    found = dict.fromkeys(
        f"{row.true_pvalue:.3f} ± {row.true_pvalue_se:.3f}"
        for row in rows
        if row.metric == metric and (row.epsilon, row.truth) == kind
    )
    return ", K = 1: ".join(found)
