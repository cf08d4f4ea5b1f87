"""A chunk is a function of its sweep and its number; a key names all that decides its numbers."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lockstep.cases import blank_tape

from bitarm.core.limits import Limits
from bitarm.core.policies import Lucb, SuccessiveElimination
from bitarm.core.policy import Policy
from bitarm.core.quantizers import Exact, Icq, QuBan
from bitarm.core.schedule import GeometricSchedule
from bitarm.core.setup import Setup
from bitarm.core.spec import RunSpec
from bitarm.errors import ConfigError
from bitarm.sim import sweep as module
from bitarm.sim.engine import Engine, TapeWatch
from bitarm.sim.environment import environment_of
from bitarm.sim.machines import run_machines
from bitarm.sim.models import Bernoulli, Beta, Gaussian
from bitarm.sim.sweep import (
    MEASURES,
    ChunkResult,
    Sweep,
    code_version,
    merge_points,
    run_chunk,
)
from bitarm.sim.trials import Trials

_NO_LIMITS = Limits()
_SE = SuccessiveElimination()


def _setup(*, policy: Policy = _SE, limits: Limits = _NO_LIMITS, **spec: Any) -> Setup:
    words: dict[str, Any] = {
        "arms": ("a", "b"),
        "delta": 0.05,
        "sigma": 0.5,
        "bounds": (0.0, 1.0),
        "quantizer": Icq(bits=3, prior="midpoint"),
        "width": "paper",
        "schedule": GeometricSchedule(growth=2.0, first=2),
        "priors": (),
        "seed": 0,
    }
    return Setup(spec=RunSpec(**words | spec), policy=policy, limits=limits)


_COINS = (Bernoulli(mean=0.6), Bernoulli(mean=0.4))
_PAIR = (_setup(), _setup(quantizer=Exact()))
_SWEEP = Sweep(setups=_PAIR, models=_COINS, trials=1200, seed=7)


@given(st.integers(1, 10**9), st.integers(0, 2**64))
def test_the_size_of_a_chunk_depends_on_the_number_of_trials_only(trials: int, seed: int) -> None:
    sweep = replace(_SWEEP, trials=trials)
    other = Sweep(
        setups=(_setup(delta=0.2, policy=Lucb()),),
        models=(Gaussian(mean=0.0, sd=1.0), Gaussian(mean=1.0, sd=1.0)),
        trials=trials,
        seed=seed,
    )
    assert sweep.chunk_size == other.chunk_size
    assert 500 <= sweep.chunk_size <= 1 << 16
    assert (sweep.chunks - 1) * sweep.chunk_size < trials <= sweep.chunks * sweep.chunk_size


def test_the_chunks_hold_every_trial_once() -> None:
    chunks = [run_chunk(_SWEEP, index) for index in range(_SWEEP.chunks)]
    assert [chunk.trials for chunk in chunks] == [500, 500, 200]
    for chunk in chunks:
        for point in chunk.points:
            assert sum(count for _, count in point.outcomes) == chunk.trials
            assert {getattr(point, name).count for name in MEASURES} == {chunk.trials}


def test_a_chunk_is_the_same_alone_and_after_others() -> None:
    in_turn = [run_chunk(_SWEEP, index).dump() for index in range(_SWEEP.chunks)]
    for index in reversed(range(_SWEEP.chunks)):
        # a sweep made anew, as another process would read it
        twin = Sweep(
            setups=(_setup(), _setup(quantizer=Exact())),
            models=(Bernoulli(mean=0.6), Bernoulli(mean=0.4)),
            trials=1200,
            seed=7,
        )
        assert run_chunk(twin, index).dump() == in_turn[index]


def test_chunks_and_seeds_draw_apart() -> None:
    whole = replace(_SWEEP, trials=1000)
    draws = [
        run_chunk(replace(whole, seed=seed), index).points for seed in (7, 8) for index in (0, 1)
    ]
    assert all(a != b for number, a in enumerate(draws) for b in draws[:number])


def test_a_chunk_that_is_run_in_blocks_runs_every_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    run = Engine.run

    def watched(
        engine: Engine, rng: np.random.Generator, trials: int, watch: TapeWatch | None
    ) -> list[Trials]:
        sizes.append(trials)
        return run(engine, rng, trials, watch)

    monkeypatch.setattr(Engine, "block", property(lambda self: 60))
    monkeypatch.setattr(Engine, "run", watched)
    chunk = run_chunk(_SWEEP, 2)
    assert sizes == [60, 60, 60, 20]
    assert chunk.trials == 200
    assert [point.samples.count for point in chunk.points] == [200, 200]


def test_points_merge_in_their_order() -> None:
    first, second = (run_chunk(_SWEEP, index).points[1] for index in (0, 1))
    merged = merge_points([first, second])
    assert merged.samples == first.samples.merged(second.samples)
    assert merged.lead == tuple(a.merged(b) for a, b in zip(first.lead, second.lead, strict=True))
    assert merged.errors == first.errors + second.errors
    assert sum(count for _, count in merged.outcomes) == 1000


def test_the_first_scheme_leads_itself_by_nothing() -> None:
    first, second = run_chunk(_SWEEP, 0).points
    assert [(lead.mean, lead.squares) for lead in first.lead] == [(0.0, 0.0)] * len(MEASURES)
    assert second.lead[1].mean == pytest.approx(second.samples.mean - first.samples.mean)


def test_an_answer_without_a_decision_is_no_error() -> None:
    limited = _setup(limits=Limits(rounds=1))
    (point,) = run_chunk(Sweep(setups=(limited,), models=_COINS, trials=50, seed=1), 0).points
    assert point.outcomes == (("round_limit", 50),)
    assert point.errors == 0


def test_averages_are_those_of_the_trials_that_answered() -> None:
    limited = _setup(limits=Limits(rounds=11))
    sweep = Sweep(setups=(_setup(), limited), models=_COINS, trials=500, seed=1)
    every, some = run_chunk(sweep, 0).points
    assert every.undecided == 0
    assert 0 < some.undecided < 500
    assert some.trials == 500
    assert some.samples.count == some.lead[1].count == 500 - some.undecided
    assert some.samples.mean < every.samples.mean  # the quick ones answered
    assert some.lead[1].mean == 0.0  # and are no quicker than without the limit


_RASH = Limits(samples=3000)  # beside a σ that is far too small: arms fall by chance


def test_a_trial_that_dropped_the_best_arm_is_wrong_though_undecided() -> None:
    setup = _setup(arms=("a", "b", "c"), sigma=0.1, quantizer=Exact(), limits=_RASH)
    models = tuple(Bernoulli(mean=mean) for mean in (0.5, 0.5, 0.52))
    environment = environment_of(models)
    tape = blank_tape([setup], np.random.default_rng(1), 300)
    engine = Engine([setup], environment)
    ((trials, trace),) = engine.run_tape(tape, np.random.default_rng(1))
    undecided = trials.best_arm < 0
    fell = trace.dropped[:, 2] > 0
    assert np.count_nonzero(undecided & fell) > 5
    assert np.count_nonzero(undecided & ~fell) > 5
    assert np.array_equal(trials.missed == 1, fell)
    machines = run_machines(setup, tape, environment, np.random.default_rng(1))
    assert np.array_equal(machines.table, trials.table)

    (point,) = run_chunk(Sweep(setups=(setup,), models=models, trials=300, seed=1), 0).points
    assert point.errors > dict(point.outcomes)["decided"] / 2  # nearly all that were undecided


def test_each_of_two_equal_bests_is_right() -> None:
    setup = _setup(arms=("a", "b", "c"), sigma=0.1, quantizer=Exact(), limits=_RASH)
    models = tuple(Bernoulli(mean=mean) for mean in (0.8, 0.8, 0.1))
    (point,) = run_chunk(Sweep(setups=(setup,), models=models, trials=300, seed=1), 0).points
    assert point.undecided < 300
    assert point.errors == 0


def _errors(epsilon: float, means: tuple[float, float]) -> int:
    """Errors of a scheme that often errs: it believes in far too small a σ."""
    setup = _setup(sigma=0.02, policy=SuccessiveElimination(epsilon=epsilon), quantizer=Exact())
    models = tuple(Bernoulli(mean=mean) for mean in means)
    (point,) = run_chunk(Sweep(setups=(setup,), models=models, trials=500, seed=1), 0).points
    return point.errors


def test_an_answer_within_the_tolerance_is_right() -> None:
    assert _errors(0.05, (0.8, 0.7)) > 50
    assert _errors(0.15, (0.8, 0.7)) == 0


@pytest.mark.parametrize("means", [(0.8, 0.7), (0.7, 0.6), (0.4, 0.3), (0.3, 0.2)])
def test_an_answer_at_the_edge_of_the_tolerance_is_right(means: tuple[float, float]) -> None:
    """0.7 is within 0.1 of 0.8, though in binary 0.8 − 0.1 comes out above 0.7."""
    assert _errors(0.1, means) == 0


def test_a_chunk_survives_being_written_and_read() -> None:
    chunk = run_chunk(_SWEEP, 2)
    assert ChunkResult.load(chunk.dump()) == chunk


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", "null", '{"index": 1, "trials": 2}', "NaN"])
def test_a_text_that_is_no_chunk_is_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        ChunkResult.load(text)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"trials": 0}, "trials must be at least 1, got 0"),
        ({"trials": -5}, "trials must be at least 1, got -5"),
        ({"seed": -1}, "seed must be 0 or more, got -1"),
        ({"setups": ()}, "at least one setup"),
    ],
)
def test_a_sweep_of_nothing_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        replace(_SWEEP, **change)


_CHANGES: dict[str, dict[str, Any]] = {
    "trials": {"trials": 1201},
    "seed": {"seed": 8},
    "a mean": {"models": (Bernoulli(mean=0.6), Bernoulli(mean=0.41))},
    "the family": {"models": (Beta(mean=0.6), Beta(mean=0.4))},
    "a parameter": {"models": (Beta(mean=0.6, concentration=2.0), Beta(mean=0.4))},
    "the order of arms": {"models": _COINS[::-1]},
    "the order of schemes": {"setups": _PAIR[::-1]},
    "fewer schemes": {"setups": _PAIR[:1]},
    "δ": {"setups": (_setup(delta=0.06), _PAIR[1])},
    "σ": {"setups": (_setup(sigma=0.6), _PAIR[1])},
    "bounds": {"setups": (_setup(bounds=(0.0, 2.0)), _PAIR[1])},
    "B": {"setups": (_setup(quantizer=Icq(bits=4, prior="midpoint")), _PAIR[1])},
    "the prior": {"setups": (_setup(quantizer=Icq(bits=3, prior="quban")), _PAIR[1])},
    "the quantizer": {"setups": (_setup(quantizer=QuBan()), _PAIR[1])},
    "the width": {"setups": (_setup(width="lil"), _PAIR[1])},
    "α": {"setups": (_setup(schedule=GeometricSchedule(growth=3.0, first=2)), _PAIR[1])},
    "t₁": {"setups": (_setup(schedule=GeometricSchedule(growth=2.0, first=3)), _PAIR[1])},
    "the policy": {"setups": (_setup(policy=Lucb()), _PAIR[1])},
    "ε": {"setups": (_setup(policy=SuccessiveElimination(epsilon=0.1)), _PAIR[1])},
    "a limit on rounds": {"setups": (_setup(limits=Limits(rounds=9)), _PAIR[1])},
    "a limit on samples": {"setups": (_setup(limits=Limits(samples=9)), _PAIR[1])},
    "a limit on bits": {"setups": (_setup(limits=Limits(bits=9)), _PAIR[1])},
}


def test_every_setting_has_a_key_of_its_own() -> None:
    keys = {name: replace(_SWEEP, **change).key() for name, change in _CHANGES.items()}
    keys["as it was"] = _SWEEP.key()
    assert len(set(keys.values())) == len(keys)


def test_equal_sweeps_have_one_key() -> None:
    assert replace(_SWEEP, setups=(_setup(), _setup(quantizer=Exact()))).key() == _SWEEP.key()


def test_another_version_of_the_code_has_another_key(monkeypatch: pytest.MonkeyPatch) -> None:
    version = code_version()
    keys = [_SWEEP.key()]
    for part in ("bitarm", "numpy", "numba"):
        assert version[part]
        changed = version | {part: "other"}
        monkeypatch.setattr(module, "code_version", lambda changed=changed: changed)
        keys.append(_SWEEP.key())
    assert len(set(keys)) == 4


def _version_of(folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The code's version as if its sources were in this folder."""
    monkeypatch.setattr("importlib.resources.files", lambda package: folder / package)
    return json.dumps(code_version.__wrapped__())


def _write_sources(folder: Path, **more: str) -> None:
    texts = {"bitarm.core/a.py": "1", "bitarm.sim/a.py": "2", "bitarm.sim/deep/a.py": "3", **more}
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    "change",
    [
        {"bitarm.core/a.py": "x"},
        {"bitarm.sim/deep/a.py": "x"},
        {"bitarm.sim/b.py": "x"},
        {"bitarm.sim/a.py": "3", "bitarm.sim/deep/a.py": "2"},
    ],
    ids=["changed", "changed deep down", "added", "exchanged"],
)
def test_any_change_of_a_source_is_another_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: dict[str, str]
) -> None:
    _write_sources(tmp_path)
    before = _version_of(tmp_path, monkeypatch)
    _write_sources(tmp_path, **change)
    assert _version_of(tmp_path, monkeypatch) != before


def test_the_version_does_not_depend_on_how_a_disk_lists_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write_sources(tmp_path, **{"bitarm.sim/other/a.py": "4"})
    listed = Path.iterdir
    versions = set()
    for backwards in (False, True):
        with monkeypatch.context() as patch:
            patch.setattr(
                Path,
                "iterdir",
                lambda self, backwards=backwards: iter(sorted(listed(self), reverse=backwards)),
            )
            versions.add(_version_of(tmp_path, patch))
    assert len(versions) == 1


def test_what_is_compiled_or_cached_is_no_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write_sources(tmp_path)
    before = _version_of(tmp_path, monkeypatch)
    _write_sources(tmp_path, **{"bitarm.sim/__pycache__/a.nbc": "9"})
    assert _version_of(tmp_path, monkeypatch) == before


def test_a_scheme_for_another_number_of_arms_is_refused() -> None:
    three = Sweep(setups=_PAIR, models=(*_COINS, Bernoulli(mean=0.5)), trials=10, seed=1)
    with pytest.raises(ConfigError, match="a scheme for 2 arms met 3 models"):
        Engine(three.setups, environment_of(three.models))
