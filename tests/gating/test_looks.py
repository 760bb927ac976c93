"""Several looks: known bounds, errors under looking early, and state files that nothing is lost from."""

import json
import multiprocessing
import os
import re
import resource
import signal
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure import ArgumentError, Contest, DataError
from howsure.data.scales import OUTCOMES, Scale
from howsure.gating import CLAIMS, GateRule, GateSettings, LookPlan, staged_gate, state
from howsure.gating.gauges import gauge_of
from howsure.gating.looks import added, spending_bounds, spending_looks, two_look_bound, two_looks
from howsure.gating.sequential import BETS, asymptotic, betting, chance_of_pass, log_capital
from howsure.inference.proportions import binomial_region

RULE = GateRule(CLAIMS["non-inferior"], 0.05)
SETS = 2000
RIGHT_OR_WRONG = Scale("ordinal", (0.0, 1.0), ("0", "1"), OUTCOMES, declared=False)


def contest(first, last, seed=0, lost=0.05, won=0.05, **options):
    """Items `first` to `last` of one long list, so that later files hold the same items and more."""
    rng = np.random.default_rng(seed)
    baseline = (rng.random(5000) < 0.7).astype(float)
    moved = rng.random(5000)
    candidate = np.where(moved < lost, 0.0, np.where(moved > 1 - won, 1.0, baseline))
    names = np.array([f"q{i}" for i in range(5000)])
    made = Contest.from_arrays(
        None, candidate[first:last], baseline[first:last], names=("", "new", "old"), scale="ordinal", **options
    )
    return Contest(None, made.a, made.b, RIGHT_OR_WRONG, names[first:last], made.names, made.groups)


def test_bounds_are_the_published_ones():
    """Jennison and Turnbull 2000: O'Brien–Fleming spending, five equal looks, one-sided 2.5%; Pocock, two looks."""
    found = spending_bounds((1, 2, 3, 4, 5), (0.2, 0.4, 0.6, 0.8, 1.0), 0.025)
    assert found == pytest.approx([4.877, 3.357, 2.680, 2.290, 2.031], abs=0.002)
    assert two_look_bound(0.025) == pytest.approx(2.178, abs=0.001)
    assert spending_bounds((10,), (1.0,), 0.05) == pytest.approx([1.6449], abs=1e-3)


def test_uneven_looks_spend_exactly_alpha():
    sizes, spent = (30, 45, 100, 260), (0.1, 0.15, 0.4, 1.0)
    bounds = spending_bounds(sizes, spent, 0.05)
    rng = np.random.default_rng(0)
    n = 200_000
    total, crossed = np.zeros(n), np.zeros(n, bool)
    for size, step, bound in zip(sizes, np.diff([0, *sizes]), bounds, strict=True):
        total += rng.normal(size=n) * np.sqrt(step)
        crossed |= total / np.sqrt(size) > bound
    assert int(crossed.sum()) in binomial_region(n, 0.05, confidence_level=0.999)


@pytest.mark.parametrize("second", [40, 400])
def test_two_looks_at_the_edge_pass_in_five_percent_whatever_is_added(second):
    rng = np.random.default_rng(second)
    critical, passed = two_look_bound(RULE.alpha), 0
    for _ in range(SETS):
        gauges = [gauge_of(rng.choice([1.0, -1.0, 0.0], n, p=[0.1, 0.15, 0.75]), 1.0) for n in (100, second)]
        first = RULE.verdict(gauges[0], critical)
        joined = added(map(RULE.passing, gauges)) > critical
        passed += first == "pass" or (first == "inconclusive" and joined)
    assert passed <= binomial_region(SETS, 0.05, confidence_level=0.999).high


def test_five_looks_at_the_edge_pass_in_five_percent():
    rng = np.random.default_rng(2)
    passed = 0
    for _ in range(SETS // 2):
        units = rng.choice([1.0, -1.0, 0.0], 300, p=[0.1, 0.15, 0.75])
        for look in range(1, 6):
            found = spending_looks(np.split(units[: 60 * look], look), RULE, 1.0, planned=5, max_units=300)
            verdict = RULE.decided(found.passing, found.failing, found.critical)
            if verdict != "inconclusive":
                passed += verdict == "pass"
                break
    assert passed <= binomial_region(SETS // 2, 0.05, confidence_level=0.999).high


@pytest.mark.parametrize(("won", "lost"), [(0.0, 0.05), (0.2, 0.25)])
def test_bets_at_the_edge_pass_in_five_percent_with_a_look_at_every_item(won, lost):
    rng = np.random.default_rng(3)
    units = rng.choice([1.0, -1.0, 0.0], (SETS, 600), p=[won, lost, 1 - won - lost])
    bets = BETS / 0.95
    paths = np.log1p(bets[:, None, None] * (units + 0.05)).cumsum(axis=-1)
    most = np.exp(paths).mean(axis=0).max(axis=-1)
    passed = int((most >= 20).sum())
    assert passed <= binomial_region(SETS, 0.05, confidence_level=0.999).high
    last = np.array([log_capital(row, -0.05, 1.0, above=True) for row in units[:50]])
    assert last == pytest.approx(np.log(np.exp(paths[:, :50, -1]).mean(axis=0)))


@given(st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=2, max_size=60), st.randoms())
def test_capital_does_not_depend_on_the_order(values, random):
    mixed = values[:]
    random.shuffle(mixed)
    one, other = (betting(np.array(each), RULE, 1.0) for each in (values, mixed))
    assert one.passing == pytest.approx(other.passing)
    assert one.failing == pytest.approx(other.failing)


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=40))
def test_the_interval_of_bets_holds_what_they_do_not_reject(values):
    units = np.array(values)
    found = betting(units, RULE, 1.0)
    assert (found.passing > found.critical) == (found.interval.low > -0.05 + 1e-9) or abs(
        found.interval.low + 0.05
    ) < 1e-6
    assert found.interval.low <= found.estimate <= found.interval.high


def by_two_looks(units, rule, span):
    half = units.size // 2
    return two_looks([units[:half], units[half:]], rule, span)


def by_spending(units, rule, span):
    half = units.size // 2
    return spending_looks([units[:half], units[half:]], rule, span, planned=3, max_units=2 * units.size)


@pytest.mark.parametrize("claim", sorted(CLAIMS))
@pytest.mark.parametrize("look", [by_two_looks, by_spending, betting])
def test_intervals_of_independent_ratings_stay_on_the_scale_and_agree_with_the_verdict(look, claim):
    rng, verdicts = np.random.default_rng(9), set()
    for n in (4, 20, 100, 1000):
        for moved in (-1, 0, 1):
            for _ in range(12):
                units = np.clip(rng.integers(1, 6, n) + moved, 1, 5) - rng.integers(1, 6, n).astype(float)
                found = look(units, rule := GateRule(CLAIMS[claim], 0.2), 4.0)
                low, high = found.interval.low, found.interval.high
                assert -4 <= low <= found.estimate <= high <= 4
                region = rule.region
                verdict = rule.decided(found.passing, found.failing, found.critical)
                assert (verdict == "pass") == (region[0] < low and high < region[1])
                assert (verdict == "fail") == (high < region[0] or region[1] < low)
                verdicts.add(verdict)
    assert verdicts == {"pass", "fail", "inconclusive"}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([-1.0] * 9, [1.0, 0.0, 0.0]),
        ([0.0] * 300, [-4.0, 4.0]),
        ([0.5] * 50, [-4.0, -1.0, 3.0]),
        ([0.0, 0.0], [4.0] * 9),
    ],
)
def test_two_looks_that_contradict_each_other_have_an_interval_around_their_mean(first, second):
    span = max(map(abs, first + second))
    found = two_looks([np.array(first), np.array(second)], RULE, span)
    assert -span <= found.interval.low <= found.estimate <= found.interval.high <= span
    assert (found.passing > found.critical) == (found.interval.low > -RULE.margin)


def test_two_looks_without_a_limit_have_an_interval_that_both_looks_determine():
    rng = np.random.default_rng(10)
    parts = [rng.normal(1, 5, 40), rng.normal(1, 5, 3)]
    found = two_looks(parts, RULE, np.inf)
    assert -20 < found.interval.low < found.estimate < found.interval.high < 20
    undefined = two_looks([parts[0], np.zeros(3)], RULE, np.inf)
    assert np.isnan(undefined.interval.low)
    assert RULE.decided(undefined.passing, undefined.failing, undefined.critical) == "inconclusive"


def test_unbounded_differences_wait_for_a_hundred_items():
    rng = np.random.default_rng(5)
    rule = GateRule(CLAIMS["non-inferior"], 5.0)
    early, late = asymptotic(rng.normal(0, 1, 99), rule), asymptotic(rng.normal(0, 1, 101), rule)
    assert rule.decided(early.passing, early.failing, early.critical) == "inconclusive"
    assert np.isnan(early.interval.low)
    assert rule.decided(late.passing, late.failing, late.critical) == "pass"


def test_a_hopeless_gate_is_futile():
    assert chance_of_pass(-0.08, 0.01, 400, 500, RULE) < 0.05
    assert chance_of_pass(-0.01, 0.01, 400, 500, RULE) > 0.9
    assert chance_of_pass(-0.01, 0.01, 500, 500, RULE) == 1.0


def test_two_looks_with_a_file_that_remembers(tmp_path):
    plan = LookPlan(str(tmp_path / "gate.jsonl"), 2)
    rule = GateRule(CLAIMS["non-inferior"], 0.03)
    first = staged_gate(contest(0, 200), rule, plan)
    assert (first.verdict, first.looks.look, first.looks.kind) == ("inconclusive", 1, "inverse-normal")
    shown = str(first)
    assert "Look 1 of 2" in shown
    assert "Do not add items" not in shown
    second = staged_gate(contest(0, 4500), rule, plan)
    assert (second.verdict, second.looks.look, second.overall.n_items) == ("pass", 2, 4500)
    assert any("200 items of these files had been seen" in note for note in second.notes)
    parts = [look.differences for look in _read(plan.state).looks]
    assert [part.size for part in parts] == [200, 4300]
    again = two_looks(parts, rule, 1.0)
    assert second.looks.passing == pytest.approx(again.passing)
    with pytest.raises(DataError, match=r"this gate was decided at look 2 \(pass\)"):
        staged_gate(contest(0, 4900), rule, plan)


@pytest.mark.parametrize(("cluster", "units"), [(None, "300 items"), ("doc", "30 clusters")])
def test_a_later_look_says_of_which_items_scores_and_difference_are(tmp_path, cluster, units):
    plan, doc = LookPlan(str(tmp_path / "gate"), 2), np.arange(5000) // 10
    settings, rule = GateSettings(cluster=cluster), GateRule(CLAIMS["non-inferior"], 0.01)
    staged_gate(contest(0, 200, groups={"doc": doc[:200]}), rule, plan, settings)
    made = contest(200, 300, groups={"doc": doc[200:300]})
    second = staged_gate(made, rule, plan, settings)
    scores = f"{made.a.values.mean():.3f} vs {made.b.values.mean():.3f}"
    assert re.search(
        rf"Accuracy {scores} in these files; over all {units}, (higher|lower) by 0\.0\d+ \(90% CI", second.sentence
    )


def test_the_order_of_files_with_all_items_or_new_ones_alone_does_not_matter(tmp_path):
    rule = GateRule(CLAIMS["non-inferior"], 0.03)
    found = []
    for name, start in (("all", 0), ("new", 200)):
        plan = LookPlan(str(tmp_path / name), 2)
        staged_gate(contest(0, 200), rule, plan)
        found.append(staged_gate(contest(start, 900), rule, plan))
    assert found[0].overall.confidence_interval == found[1].overall.confidence_interval


def test_five_looks_need_their_end(tmp_path):
    with pytest.raises(ArgumentError, match="5 looks need `max_items`"):
        LookPlan(str(tmp_path / "gate"), 5)
    plan = LookPlan(str(tmp_path / "gate"), 5, 2000)
    for look, last in enumerate((200, 400, 800, 1200, 2000), 1):
        found = staged_gate(contest(0, last, lost=0.06), GateRule(CLAIMS["non-inferior"], 0.02), plan)
        assert found.looks.look == look
        if found.verdict != "inconclusive":
            break
    assert found.looks.kind == "obrien-fleming"


def test_sequential_gates_bet_and_stop(tmp_path):
    plan = LookPlan(str(tmp_path / "gate"), 0, 3000)
    rule = GateRule(CLAIMS["non-inferior"], 0.05)
    verdicts = []
    for last in (50, 100, 400, 900, 2000):
        found = staged_gate(contest(0, last), rule, plan)
        verdicts.append(found.verdict)
        if found.verdict != "inconclusive":
            break
    assert verdicts[-1] == "pass"
    assert found.looks.kind == "betting"
    assert found.overall.confidence_interval.low > -0.05
    worse = LookPlan(str(tmp_path / "worse"), 0, 500)
    lost = staged_gate(contest(0, 300, lost=0.16, won=0.02), rule, worse)
    assert lost.verdict in ("fail", "futile")
    assert lost.exit_code in (1, 2)


def test_clusters_are_units(tmp_path):
    doc = np.arange(400) // 10
    made = contest(0, 400, groups={"doc": doc})
    found = staged_gate(
        made, GateRule(CLAIMS["non-inferior"], 0.2), LookPlan(str(tmp_path / "g")), GateSettings(cluster="doc")
    )
    assert found.looks.n_items == 40


@pytest.mark.parametrize(
    ("settings", "message"),
    [(GateSettings(by="topic"), "`by` goes with a single look"), (GateSettings(raters="random"), "single look")],
)
def test_what_does_not_go_with_looks(tmp_path, settings, message):
    made = contest(0, 100, groups={"topic": np.arange(100) % 2})
    with pytest.raises(ArgumentError, match=message):
        staged_gate(made, RULE, LookPlan(str(tmp_path / "g"), 2), settings)
    assert not (tmp_path / "g").exists()


def _read(path):
    with Path(path).open("rb") as file:
        content = file.read()
    head = json.loads(content.splitlines()[0])
    return state._read(Path(path), content, head["gate"])


def begun(path):
    staged_gate(contest(0, 200), GateRule(CLAIMS["non-inferior"], 0.03), LookPlan(str(path), 2))
    return Path(path).read_bytes()


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda text: text[:-20], "its last line is not complete"),
        (lambda text: text.replace(b'"verdict": "inconclusive"', b'"verdict": "pass"'), r"damaged \(line 2\)"),
        (lambda text: text.replace(b"[0.0", b"[0.5", 1), r"damaged \(line"),
        (lambda text: b"hello\n" + text, r"damaged \(line 1\)"),
        (lambda text: b'{"digest": "x"}\n', "is not a state file of a gate"),
        (lambda text: b"\x00\xff\n", r"damaged \(line 1\)"),
        (lambda text: text.replace(b'"version": 2', b'"version": 7'), "version 7; this version of howsure reads 2"),
        (lambda text: text.replace(b'"margin": 0.03', b'"margin": 0.5'), "belongs to another gate: `margin` was 0.5"),
    ],
)
def test_damaged_and_foreign_state_files_are_left_as_they_are(tmp_path, damage, message):
    path = tmp_path / "gate"
    path.write_bytes(damage(begun(path)))
    before = path.read_bytes()
    with pytest.raises(DataError, match=message):
        staged_gate(contest(0, 400), GateRule(CLAIMS["non-inferior"], 0.03), LookPlan(str(path), 2))
    assert path.read_bytes() == before


def test_a_look_without_new_items_is_no_look(tmp_path):
    path = tmp_path / "gate"
    before = begun(path)
    with pytest.raises(DataError, match="these files hold no new items: all 200 were seen before"):
        begun(path)
    assert path.read_bytes() == before


def _hold(path, ready, done):
    with state.opened(path, json.loads(Path(path).read_bytes().splitlines()[0])["gate"]):
        ready.set()
        done.wait(20)


def test_two_gates_do_not_write_one_file(tmp_path):
    path = tmp_path / "gate"
    before = begun(path)
    context = multiprocessing.get_context("spawn")
    ready, done = context.Event(), context.Event()
    other = context.Process(target=_hold, args=(str(path), ready, done))
    other.start()
    try:
        assert ready.wait(60)
        with pytest.raises(DataError, match="is in use by another gate"):
            staged_gate(contest(0, 400), GateRule(CLAIMS["non-inferior"], 0.03), LookPlan(str(path), 2))
    finally:
        done.set()
        other.join()
    assert path.read_bytes() == before
    staged_gate(contest(0, 400), GateRule(CLAIMS["non-inferior"], 0.03), LookPlan(str(path), 2))
    assert path.read_bytes().startswith(before)


LOOKS = [state.Look((f"{number:012x}",) * 3, np.array([0.25, -1 / 3, 0.0]), "inconclusive") for number in range(4)]


def _start(action):
    """Run an action in a copy of this process: what the system kills dies there. Return the copy's number."""
    child = os.fork()
    if child == 0:
        try:
            action()
        except DataError:
            os._exit(7)
        except BaseException:
            os._exit(1)
        os._exit(0)
    return child


def _forked(action):
    """Run an action in a copy of this process, and return how it ended."""
    return os.waitstatus_to_exitcode(os.waitpid(_start(action), 0)[1])


@pytest.mark.parametrize("signals", [signal.SIG_IGN, signal.SIG_DFL], ids=["no more space", "killed"])
def test_a_state_file_survives_a_full_disk_and_a_kill_at_every_byte(tmp_path, signals):
    path = tmp_path / "gate"
    for look in LOOKS[:2]:
        with state.opened(str(path), {"margin": 0.1}) as opened:
            opened.add(look)
    before = path.read_bytes()

    def add(n_bytes):  # runs in a copy of this process
        signal.signal(signal.SIGXFSZ, signals)  # what the system sends to whoever exceeds the limit
        resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, n_bytes))
        with state.opened(str(path), {"margin": 0.1}) as opened:
            opened.add(LOOKS[2])

    ending, n_bytes = 7 if signals == signal.SIG_IGN else -signal.SIGXFSZ, 0
    while (ended := _forked(partial(add, n_bytes))) != 0:
        assert ended == ending
        assert path.read_bytes() == before
        n_bytes += 1
    assert n_bytes == len(path.read_bytes()) > len(before)
    assert len(_read(path).looks) == 3
    assert list(tmp_path.iterdir()) == [path], "a draft that a kill left is deleted when the file is written next"


def test_a_new_state_file_that_cannot_be_written_is_none(tmp_path):
    path = tmp_path / "gate"

    def add():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
        with state.opened(str(path), {}) as opened:
            opened.add(LOOKS[0])

    assert _forked(add) == 7
    assert list(tmp_path.iterdir()) == []


def test_looks_of_many_writers_are_all_kept(tmp_path):
    """Eight processes add ten looks each; whoever finds the file in use tries again."""
    path = tmp_path / "gate"

    def add_ten():
        n_added = 0
        while n_added < 10:
            try:
                with state.opened(str(path), {}) as opened:
                    opened.add(LOOKS[0])
                n_added += 1
            except DataError as error:
                if "is in use by another gate" not in str(error):
                    raise
                time.sleep(0.001)

    children = [_start(add_ten) for _ in range(8)]
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 8
    assert len(_read(path).looks) == 80
