# SPDX-License-Identifier: Apache-2.0
"""Plans that a caller keeps, and the cache of those that functions make."""

import copy
import gc
import pickle
import weakref

import numpy as np
import problems
import pytest
import regrad
from hypothesis import given
from hypothesis import strategies as st
from regrad import _library

X = problems.random_array(2, (2, 3, 6, 8), np.dtype("f4"))
GRID = np.random.default_rng(3).uniform(-1.1, 1.1, (2, 5, 4, 2)).astype("f4")
G = problems.random_array(4, (2, 3, 5, 4), np.dtype("f4"))


@given(problems.resizes(), st.sampled_from(problems.FLOATS), st.sampled_from([0, 1, 2, 3]))
def test_a_plan_computes_what_its_function_does(problem, dtype, threads):
    first, second = (problems.random_array(seed, problem.source, dtype) for seed in (1, 2))
    plan = problem.plan(first, threads=threads)
    for array in (first, second, first):
        assert problems.bits(plan.run(array)) == problems.bits(problem.call(array))
    assert plan.operator == problem.operator


def test_a_plan_of_two_results():
    plan = regrad.Plan("grid_sampler_2d_backward", G, X, GRID)
    wanted = regrad.grid_sampler_2d_backward(G, X, GRID)
    found = plan.run(G, X, GRID)
    assert type(found) is tuple
    assert [problems.bits(f) for f in found] == [problems.bits(w) for w in wanted]


BOTH_OR_ONE = [(True, True), (True, False), (False, True), (False, False)]


@pytest.mark.parametrize("given", BOTH_OR_ONE)
@pytest.mark.parametrize("mask", BOTH_OR_ONE)
def test_a_plan_takes_and_returns_what_its_function_does(mask, given):
    """A result is the array that was given, or a new one; the one that is not wanted is None, and left alone."""
    plan = regrad.Plan("grid_sampler_2d_backward", G, X, GRID, output_mask=mask)
    wanted = regrad.grid_sampler_2d_backward(G, X, GRID)
    out = [np.full_like(like, 7) if k else None for k, like in zip(given, (X, GRID))]
    found = plan.run(G, X, GRID, out=out)
    assert type(found) is tuple and len(found) == 2
    for k in range(2):
        assert (found[k] is not None) == mask[k]
        if mask[k]:
            assert problems.bits(found[k]) == problems.bits(wanted[k])
            assert found[k] is out[k] or out[k] is None
        elif given[k]:
            assert (out[k] == 7).all()


@pytest.mark.parametrize("kind", [tuple, list, iter])
def test_results_come_in_any_sequence(kind):
    plan, out = regrad.Plan("grid_sampler_2d_backward", G, X, GRID), (np.empty_like(X), np.empty_like(GRID))
    wanted = regrad.grid_sampler_2d_backward(G, X, GRID)
    for call in (plan.run, regrad.grid_sampler_2d_backward):
        for result in out:
            result.fill(7)
        found = call(G, X, GRID, out=kind(out))
        assert type(found) is tuple and all(f is o for f, o in zip(found, out))
        assert [problems.bits(f) for f in found] == [problems.bits(w) for w in wanted]


def try_run(operator, *arguments, inputs, outs, **options):
    """What C says of arrays that Python has not looked at."""
    plan = regrad.Plan(operator, *arguments, **options)
    return _library.try_run(plan._prepared.address, inputs, outs)


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


class Subclass(np.ndarray):
    """Another type, which Python has to look at."""


def test_arrays_that_need_no_look():
    out, last = np.empty((2, 3, 4, 4), "f4"), np.empty((2, 4, 4, 3), "f4").transpose(0, 3, 1, 2)
    wanted = problems.bits(regrad.upsample_bilinear2d(X, (4, 4)))
    for outs in ((None,), (out,)):
        found = try_run("upsample_bilinear2d", X, (4, 4), inputs=(X,), outs=outs)
        assert problems.bits(found) == wanted and (outs[0] is None or outs[0] is found)
    assert try_run("upsample_bilinear2d", X, (4, 4), out=last, inputs=(read_only(X),), outs=(last,)) is last
    assert problems.bits(last) == wanted
    found = try_run("grid_sampler_2d_backward", G, X, GRID, output_mask=(False, True), inputs=(G, X, GRID),
                    outs=(5, None))  # fmt: skip
    assert found[0] is None
    assert problems.bits(found[1]) == problems.bits(regrad.grid_sampler_2d_backward(G, X, GRID)[1])


@pytest.mark.parametrize("inputs, out", [
    ((), None),
    ((X, X), None),
    ((5,), None),
    ((X.view(Subclass),), None),
    ((X.view("i4"),), None),
    ((X.astype("f2"),), None),
    ((X.astype(">f4"),), None),
    ((X[:1],), None),
    ((X[..., ::-1],), None),
    ((X,), 5),
    ((X,), read_only(np.empty((2, 3, 3, 3), "f4"))),
    ((X,), np.empty((2, 3, 3, 4), "f4")),
    ((X,), X.reshape(-1)[:54].reshape(2, 3, 3, 3)),
])  # fmt: skip
def test_arrays_that_need_a_look(inputs, out):
    before = problems.bits(X)
    assert try_run("upsample_bilinear2d", X, (3, 3), inputs=inputs, outs=(out,)) is None
    assert problems.bits(X) == before


def test_results_keep_the_layout_that_was_planned():
    out = np.empty((2, 4, 4, 3), "f4").transpose(0, 3, 1, 2)
    plan = regrad.Plan("upsample_bilinear2d", X, (4, 4), out=out)
    assert plan.run(X, out=out) is out
    assert problems.bits(out) == problems.bits(regrad.upsample_bilinear2d(X, (4, 4)))


PLAN = regrad.Plan("upsample_bilinear2d", X, (3, 3))
PAIR = regrad.Plan("grid_sampler_2d_backward", G, X, GRID)


@pytest.mark.parametrize("call, error, sentence", [
    (lambda: PLAN.run(), ValueError, "upsample_bilinear2d: 0 arrays, the plan is for 1"),
    (lambda: PLAN.run(X, X), ValueError, "upsample_bilinear2d: 2 arrays, the plan is for 1"),
    (lambda: PLAN.run([1]), TypeError, "upsample_bilinear2d: input is of type list, wanted an array"),
    (lambda: PLAN.run(X.astype("f8")), TypeError,
     "upsample_bilinear2d: input.dtype is float64, the plan is for float32"),
    (lambda: PLAN.run(X[:1]), ValueError,
     "upsample_bilinear2d: input.shape is (1, 3, 6, 8), the plan is for (2, 3, 6, 8)"),
    (lambda: PLAN.run(X[0]), ValueError, "upsample_bilinear2d: input.shape is (3, 6, 8), the plan is for (2, 3, 6, 8)"),
    (lambda: PLAN.run(X[..., ::-1]), ValueError,
     "upsample_bilinear2d: input.strides are (576, 192, 32, -4) bytes, the plan is for (576, 192, 32, 4)"),
    (lambda: PLAN.run(X, out=np.empty((2, 3, 3, 4), "f4")), ValueError,
     "upsample_bilinear2d: out.shape is (2, 3, 3, 4), the plan is for (2, 3, 3, 3)"),
    (lambda: PLAN.run(X, out=np.empty((2, 3, 3, 3))), TypeError,
     "upsample_bilinear2d: out.dtype is float64, the plan is for float32"),
    (lambda: PLAN.run(X, out=5), TypeError, "upsample_bilinear2d: out is of type int, wanted an array"),
    (lambda: PLAN.run(X, out=np.broadcast_to(np.float32(1), (2, 3, 3, 3))), ValueError,
     "upsample_bilinear2d: out is read-only, wanted memory that may be written"),
    (lambda: PLAN.run(X, out=X.reshape(-1)[:54].reshape(2, 3, 3, 3)), ValueError, "upsample_bilinear2d: out at"),
    (lambda: PAIR.run(G, X, GRID, out=5), TypeError, "grid_sampler_2d_backward: out is 5, wanted 2 values"),
    (lambda: PAIR.run(G, X, GRID, out=(X.copy(), X)), ValueError,
     "grid_sampler_2d_backward: out[1].shape is (2, 3, 6, 8), the plan is for (2, 5, 4, 2)"),
    (lambda: regrad.Plan("none", X), ValueError, "Plan: operator is 'none', wanted one of: upsample_nearest1d, "),
    (lambda: regrad.Plan([], X), ValueError, "Plan: operator is [], wanted one of: upsample_nearest1d, "),
    (lambda: regrad.Plan("upsample_bilinear2d", X, (3, 3), threads=-1), ValueError,
     "upsample_bilinear2d: threads is -1, must be 1 or more, or 0 for num_threads()"),
    (lambda: regrad.Plan("upsample_bilinear2d", X, (3, 3), threads="2"), TypeError,
     "upsample_bilinear2d: threads is '2', wanted a whole number"),
])  # fmt: skip
def test_refusals(call, error, sentence):
    before = problems.bits(X)
    with pytest.raises(error) as raised:
        call()
    assert str(raised.value).startswith(sentence), str(raised.value)
    assert problems.bits(X) == before


def test_strides_along_one_element_mean_nothing():
    wide = np.ones((2, 1, 3, 3), "f4")
    plan = regrad.Plan("upsample_bilinear2d", wide, (2, 2))
    assert plan.run(np.ones((2, 3, 3, 3), "f4")[:, :1].copy()).shape == (2, 1, 2, 2)
    one = np.lib.stride_tricks.as_strided(wide, strides=(36, 444, 12, 4))
    assert plan.run(one).shape == (2, 1, 2, 2)


def test_a_plan_tells_about_itself():
    assert "(2, 3, 6, 8)" in PLAN.describe() and "float32" in PLAN.describe()
    assert PLAN.describe().startswith("upsample_bilinear2d: input ")
    assert repr(PLAN) == f"<regrad.Plan {PLAN.describe()}>"
    assert PLAN.workspace_size >= 0


def test_a_plan_cannot_be_changed():
    with pytest.raises(AttributeError):
        PLAN.operator = "grid_sampler_2d"
    with pytest.raises(AttributeError):
        PLAN.other = 1


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_plan_is_not_copied(duplicate):
    with pytest.raises(TypeError, match="^upsample_bilinear2d: a Plan cannot be copied or pickled; make another one"):
        duplicate(PLAN)


def test_plans_are_collected():
    plan = regrad.Plan("upsample_bilinear2d", X, (3, 3))
    prepared = weakref.ref(plan._prepared)
    del plan
    gc.collect()
    assert prepared() is None


# ---- The cache ----


def resize(size, array=X, **options):
    return regrad.upsample_nearest_exact2d(array, size, **options)


def counts():
    info = regrad.cache_info()
    return info.hits, info.misses, info.currsize


def test_the_same_call_is_planned_once():
    for _ in range(5):
        resize((4, 4))
    assert counts() == (4, 1, 1)
    regrad.cache_clear()
    assert counts() == (0, 0, 0)


@pytest.mark.parametrize("other", [
    lambda: resize((4, 5)),
    lambda: resize((4, 4), X[:1]),
    lambda: resize((4, 4), X[..., ::-1]),
    lambda: resize((4, 4), X.astype("f2")),
    lambda: resize((4, 4), law="gather"),
    lambda: resize((4, 4), scales=2),
    lambda: resize((4, 4), out=np.empty((2, 3, 4, 8), "f4")[..., ::2]),
    lambda: regrad.upsample_bilinear2d(X, (4, 4)),
])  # fmt: skip
def test_what_makes_another_plan(other):
    wanted = problems.bits(other())
    regrad.cache_clear()
    resize((4, 4))
    assert problems.bits(other()) == wanted
    assert counts() == (0, 2, 2)


def test_data_do_not_count():
    assert problems.bits(resize((6, 8))) == problems.bits(X)
    assert problems.bits(resize((6, 8), -X)) == problems.bits(-X)
    assert counts() == (1, 1, 1)


def test_the_cache_has_an_end():
    line = np.ones((1, 1, 3), "f4")
    for n in range(1, 400):
        regrad.upsample_nearest_exact1d(line, (n,))
    info = regrad.cache_info()
    assert info.currsize == info.maxsize == 256
    regrad.upsample_nearest_exact1d(line, (399,))  # the newest are there
    regrad.upsample_nearest_exact1d(line, (1,))  # the oldest are not
    assert counts() == (1, 400, 256)


def test_the_plan_that_was_used_longest_ago_goes_first():
    line = np.ones((1, 1, 3), "f4")
    for n in range(1, 257):
        regrad.upsample_nearest_exact1d(line, (n,))
    for n in (2, 1):  # used again, so 3 and 4 are the oldest
        regrad.upsample_nearest_exact1d(line, (n,))
    for n in (257, 258):
        regrad.upsample_nearest_exact1d(line, (n,))
    assert counts() == (2, 258, 256)
    for n in (1, 2, 5, 257, 258):
        regrad.upsample_nearest_exact1d(line, (n,))
    assert counts() == (7, 258, 256)
    for n in (3, 4):
        regrad.upsample_nearest_exact1d(line, (n,))
    assert counts() == (7, 260, 256)


def test_long_axes_do_not_fill_memory():
    """The tables of a plan grow with axes, so these count, too; at most 2^21 elements of them are kept."""
    line = np.ones((1, 1, 2**19), "u1")
    for n in range(1, 9):
        regrad.upsample_nearest_exact1d(line, (n,))
    assert regrad.cache_info().currsize == 3
    regrad.upsample_nearest_exact1d(line, (2**21,))  # alone too long
    assert regrad.cache_info().currsize == 3


def test_threads_of_plans_in_the_cache():
    start = regrad.num_threads()
    resize((4, 4))
    regrad.set_num_threads(3)
    assert regrad.num_threads() == 3 and counts() == (0, 0, 0)
    regrad.set_num_threads(0)
    assert regrad.num_threads() == start >= 1


def test_the_instruction_set_has_a_name():
    assert regrad.isa() in ("scalar", "avx2", "avx512", "neon")
