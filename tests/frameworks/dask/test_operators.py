# SPDX-License-Identifier: Apache-2.0
"""Every operator on arrays of Dask: bits, chunks, types, laziness, and what is refused."""

import inspect
import pickle
import re
import subprocess
import sys
import warnings

import dask
import dask.array as da
import numpy as np
import problems
import pytest
import regrad
import regrad.dask
from hypothesis import given
from hypothesis import strategies as st
from problems import bits, random_array

OPERATORS = [name for name in regrad.dask.__all__ if name != "RechunkWarning"]
TYPES = st.sampled_from(problems.FLOATS)


@pytest.fixture(autouse=True)
def _one_scheduler():
    with dask.config.set(scheduler="threads", num_workers=3):
        yield


def divide(draw, n):
    """Any division of a length into few chunks."""
    sizes = []
    while n:
        sizes.append(draw(st.integers((n + 2) // 3, n)))
        n -= sizes[-1]
    return tuple(sizes) or (0,)


def chunked(draw, array, axes):
    """The array in chunks along these axes, or as it is."""
    if draw(st.integers(0, 5)) == 0:
        return array
    return da.from_array(array, chunks=[divide(draw, n) if k in axes else (n,) for k, n in enumerate(array.shape)])


def same(found, wanted):
    """Is this an array of Dask that states its shape, type and chunks as they are, with these bits?"""
    assert isinstance(found, da.Array)
    array, *blocks = dask.compute(found, *found.blocks.ravel())
    shapes = [tuple(sizes[k] for sizes, k in zip(found.chunks, index)) for index in np.ndindex(*found.numblocks)]
    assert [block.shape for block in blocks] == shapes
    assert type(array) is np.ndarray
    assert found.dtype == array.dtype == wanted.dtype
    assert found._meta.dtype == wanted.dtype and found._meta.ndim == wanted.ndim
    assert found.shape == array.shape == wanted.shape
    return bits(array) == bits(wanted)


def test_every_operator_is_there():
    assert set(OPERATORS) == set(regrad._functions.__all__)
    for name in OPERATORS:
        theirs, ours = (inspect.signature(getattr(package, name)).parameters for package in (regrad, regrad.dask))
        new = {"channel_chunks"} if name.startswith("grid") and name.endswith("backward") else set()
        assert set(ours) == set(theirs) - {"out"} | new
        assert all((ours[k].kind, ours[k].default) == (theirs[k].kind, theirs[k].default) for k in set(ours) - new)
        assert getattr(regrad.dask, name).__name__ == name


@given(st.data())
def test_resizes_have_the_bits_of_memory(data):
    problem = data.draw(problems.resizes())
    is_bytes = "nearest" in problem.operator and not problems.is_gradient(problem.operator)
    dtype = data.draw(st.sampled_from([*problems.FLOATS, *[np.dtype("u1")] * is_bytes]))
    array = random_array(data.draw(st.integers(0, 9)), problem.source, dtype)
    positional, named = problem.arguments()
    found = getattr(regrad.dask, problem.operator)(chunked(data.draw, array, (0, 1)), *positional, **named)
    assert same(found, problem.call(array))


@given(st.data())
def test_grid_samples_have_the_bits_of_memory(data):
    problem = data.draw(problems.grid_samples())
    gradient, image, grid = problem.arrays(data.draw(st.integers(0, 9)), data.draw(TYPES))
    name = f"grid_sampler_{len(problem.n_in)}d"
    points = range(grid.ndim - 1)
    found = getattr(regrad.dask, name)(
        chunked(data.draw, image, (0, 1)), chunked(data.draw, grid, points), **problem.options
    )
    assert same(found, problem.call(image, grid))

    wanted = problem.backward(gradient, image, grid)
    backward = getattr(regrad.dask, f"{name}_backward")
    arrays = (chunked(data.draw, gradient, (0, 1)), image, chunked(data.draw, grid, (0,)))
    found = backward(*arrays, **problem.options, output_mask=(True, False))
    assert same(found[0], wanted[0]) and found[1] is None
    axes = (0, *range(2, gradient.ndim))
    arrays = (chunked(data.draw, gradient, axes), chunked(data.draw, image, (0,)), chunked(data.draw, grid, points))
    found = backward(*arrays, **problem.options, output_mask=(False, True))
    assert found[0] is None and same(found[1], wanted[1])


def test_a_resize_by_plain_indexing():
    """Without the package's own arithmetic on either side."""
    array = random_array(1, (5, 4, 6, 9), np.dtype("f4"))
    found = regrad.dask.upsample_nearest2d(da.from_array(array, chunks=((2, 3), (1, 3), 6, 9)), (12, 27))
    assert same(found, array.repeat(2, axis=2).repeat(3, axis=3))
    back = regrad.dask.upsample_nearest2d_backward(da.ones((4, 2, 12, 27), chunks=(3, 1, 12, 27)), (6, 9))
    assert same(back, np.full((4, 2, 6, 9), 6.0))


# ---- Chunks along other axes ----


def test_divided_images_are_joined_and_it_is_said():
    array = random_array(2, (2, 3, 8, 6), np.dtype("f4"))
    wanted = regrad.upsample_bilinear2d(array, (5, 7))
    with pytest.warns(regrad.dask.RechunkWarning) as said:
        found = regrad.dask.upsample_bilinear2d(da.from_array(array, chunks=(1, 2, 4, 3)), (5, 7))
    assert found.chunks == ((1, 1), (2, 1), (5,), (7,)) and same(found, wanted)
    (line,) = said
    assert line.filename == __file__
    assert str(line.message) == (
        "upsample_bilinear2d: input is divided along axes 2, 3, whose chunks are joined to chunks of up to 384 bytes; "
        "wanted chunks of whole images, which divide axes 0 and 1 alone"
    )
    with pytest.warns(
        regrad.dask.RechunkWarning, match=r"^upsample_nearest1d_backward: grad_output is divided along axis 2"
    ):
        regrad.dask.upsample_nearest1d_backward(da.ones((2, 3, 8), chunks=4), (4,))


@pytest.mark.parametrize("mask", [(True, True), (True, False), (False, True)])
def test_divided_points_and_channels(mask):
    """input_grad sums over points and grid_grad over channels: each is joined along these axes alone."""
    gradient, image, grid = sample_arrays(5, np.dtype("f4"))
    arrays = (da.from_array(gradient, chunks=(2, 3, 2, 5)), da.from_array(image, chunks=(1, 2, 6, 5)))
    arrays = (*arrays, da.from_array(grid, chunks=(1, 2, 5, 2)))
    with pytest.warns(regrad.dask.RechunkWarning) as said:
        found = regrad.dask.grid_sampler_2d_backward(*arrays, output_mask=mask)
    assert all(line.filename == __file__ for line in said)
    joined = [re.match(r"\w+: (\w+) is divided along axis (\d),", str(line.message)).groups() for line in said]
    for_points, for_channels = [("grad_output", "2"), ("grid", "1")], [("grad_output", "1"), ("input", "1")]
    assert joined == for_points * mask[0] + for_channels * mask[1]
    for result, wanted, is_wanted in zip(found, regrad.grid_sampler_2d_backward(gradient, image, grid), mask):
        assert same(result, wanted) if is_wanted else result is None
    if mask[0]:
        assert found[0].chunks == ((1, 1), (3, 3, 1), (6,), (5,))
    if mask[1]:
        assert found[1].chunks == ((1, 1), (2, 2), (5,), (2,))


def sample_arrays(seed, dtype, n_channels=7):
    """grad_output, input and grid of a small problem."""
    random = np.random.default_rng(seed)
    shapes = (2, n_channels, 4, 5), (2, n_channels, 6, 5), (2, 4, 5, 2)
    return tuple(random.uniform(-1.2, 1.2, shape).astype(dtype) for shape in shapes)


# ---- The sum over chunks of channels ----


def sum_of(gradient, chunks, dtype="f4"):
    """grid_grad of one point in the middle of channels that rise by 1 along x and by 2 along y: (g, 2 g), g the sum."""
    gradient = np.asarray(gradient, dtype).reshape(1, -1, 1, 1)
    image = np.broadcast_to(np.asarray([[0, 1], [2, 3]], dtype), (1, gradient.size, 2, 2))
    found = regrad.dask.grid_sampler_2d_backward(
        da.from_array(gradient, chunks=(1, chunks, 1, 1)), image, np.zeros((1, 1, 1, 2), dtype),
        output_mask=(False, True), channel_chunks="sum",
    )[1]  # fmt: skip
    return found.compute().ravel().tolist()


def test_channels_are_added_in_increasing_order():
    assert sum_of([1e8, -1e8, 1], 1) == [1, 2]
    assert sum_of([1, 1e8, -1e8], 1) == [0, 0]  # 1 is less than half a unit of 1e8
    assert sum_of([1, 1e8, -1e8], (1, 2)) == [1, 2]


@pytest.mark.parametrize("dtype", [t for t in problems.FLOATS if t.itemsize == 2], ids=str)
def test_channels_of_16_bits_are_added_in_float32(dtype):
    """From `most` on the type has even numbers only: added one by one in it, ones are lost."""
    most = 2048 if dtype == np.float16 else 256
    assert sum_of([most, 1, 1], 1, dtype) == [most + 2, 2 * most + 4]


def test_sums_that_are_no_numbers_have_the_bits_of_the_library():
    found = np.array(sum_of([np.inf, -np.inf], 1), "f4")
    assert found.view("u4").tolist() == [0x7FC00000] * 2


@given(st.data())
def test_sums_over_channels_are_within_the_bound_and_depend_on_their_chunks_alone(data):
    problem = data.draw(problems.grid_samples())
    dtype = data.draw(TYPES)
    arrays = problem.arrays(data.draw(st.integers(0, 9)), dtype)
    channels = divide(data.draw, problem.batch[1])
    backward = getattr(regrad.dask, f"grid_sampler_{len(problem.n_in)}d_backward")

    def compute(divides):
        gradient, image = (
            da.from_array(a, chunks=(divide(data.draw, len(a)) if divides else -1, channels, *[-1] * (a.ndim - 2)))
            for a in arrays[:2]
        )
        points = range(arrays[2].ndim - 1) if divides else ()
        grid = chunked(data.draw, arrays[2], points)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = backward(gradient, image, grid, **problem.options, output_mask=(False, True), channel_chunks="sum")
        return found[1].compute()

    found = compute(False)
    assert bits(compute(True)) == bits(found)
    for sums, result in zip(problem.expect(*arrays), found):
        sums[2].check(result, dtype)


# ---- What is computed, and when ----


def refuse_to_compute(*arguments, **options):
    raise AssertionError("something is computed")


def test_nothing_is_computed_before_compute():
    array = da.ones((4, 6, 8, 8), chunks=(2, 3, 8, 8), dtype="f4")
    grid = da.zeros((4, 8, 8, 2), chunks=(1, 4, 8, 2), dtype="f4")
    with dask.config.set(scheduler=refuse_to_compute), warnings.catch_warnings():
        warnings.simplefilter("ignore", regrad.dask.RechunkWarning)
        results = [
            regrad.dask.upsample_bilinear2d(array, scales=2),
            regrad.dask.resize_bilinear_v2_grad(array, da.zeros((4, 6, 3, 3))),
            regrad.dask.grid_sampler_2d(array, grid),
            *regrad.dask.grid_sampler_2d_backward(array, array, grid, channel_chunks="sum"),
            *regrad.dask.grid_sampler_2d_backward(array, array, grid),
        ]
        assert [result.shape[-1] for result in results] == [16, 3, 8, 8, 2, 8, 2]
        with pytest.raises(AssertionError, match="something is computed"):
            results[0].compute()


def test_each_gradient_is_computed_without_the_other():
    def never(block):
        raise AssertionError("the input is computed")

    grid = da.zeros((2, 4, 4, 2), chunks=(1, 4, 4, 2), dtype="f4")
    image = da.zeros((2, 3, 5, 5), chunks=(1, 3, 5, 5), dtype="f4").map_blocks(
        never, dtype="f4", meta=np.empty((0,) * 4)
    )
    gradient = da.ones((2, 3, 4, 4), chunks=(1, 3, 4, 4), dtype="f4")
    input_grad, grid_grad = regrad.dask.grid_sampler_2d_backward(gradient, image.astype("f4"), grid)
    assert input_grad.compute()[0, 0, 2, 2] == 16
    with pytest.raises(AssertionError, match="the input is computed"):
        grid_grad.compute()


@pytest.mark.parametrize(("scheduler", "threads"), [("synchronous", 1), ("threads", 3), ("threads", 1)])
def test_schedulers_and_threads_change_no_bit(scheduler, threads):
    gradient, image, grid = sample_arrays(9, np.dtype("f4"), 20)
    arrays = (da.from_array(gradient, chunks=(1, 9, 4, 5)), da.from_array(image, chunks=(1, 9, 6, 5)), grid)
    wanted = regrad.grid_sampler_2d_backward(gradient, image, grid)
    regrad.set_num_threads(threads)
    try:
        with pytest.warns(regrad.dask.RechunkWarning):
            lazy = regrad.dask.grid_sampler_2d_backward(*arrays)
        found = dask.compute(*lazy, scheduler=scheduler, num_workers=2)
    finally:
        regrad.set_num_threads(0)
    assert [bits(array) for array in found] == [bits(array) for array in wanted]


def test_the_same_call_has_the_same_name():
    """So that Dask computes it once; another option gives another name."""
    array = da.ones((2, 2, 4, 4), chunks=1)
    names = [regrad.dask.upsample_nearest2d(array.rechunk((1, 1, 4, 4)), (3, 3), law=law).name for law in LAWS]
    assert names[0] == names[1] != names[2] and names[0].startswith("upsample_nearest2d-")


LAWS = ("forward", "forward", "gather")


def test_functions_are_pickled():
    for name in OPERATORS:
        function = getattr(regrad.dask, name)
        assert pickle.loads(pickle.dumps(function)) is function


def shifted(block):
    """The block in memory that begins at an odd address, as it may after it was sent."""
    memory = np.empty(block.nbytes + 3, "u1")
    begin = 1 + memory.ctypes.data % 2
    memory[begin : begin + block.nbytes] = np.frombuffer(block.tobytes(), "u1")
    return memory[begin : begin + block.nbytes].view(block.dtype).reshape(block.shape)


@pytest.mark.parametrize("dtype", [*problems.FLOATS, np.dtype([("bfloat16", "u2")])], ids=str)
def test_chunks_may_lie_at_any_address(dtype):
    gradient, image, grid = sample_arrays(3, np.dtype("f4"))
    if dtype.fields is None:
        gradient, image, grid = (array.astype(dtype) for array in (gradient, image, grid))
    else:
        gradient, image, grid = ((array.view("u4") >> 16).astype("u2").view(dtype) for array in (gradient, image, grid))
    arrays = [da.from_array(array, chunks=(1, *array.shape[1:])) for array in (gradient, image, grid)]
    odd = [array.map_blocks(shifted, dtype=dtype, meta=np.empty((0,) * 4, dtype)) for array in arrays]
    assert shifted(gradient).ctypes.data % 2 == 1
    assert same(regrad.dask.upsample_bicubic2d(odd[0], (3, 3)), regrad.upsample_bicubic2d(gradient, (3, 3)))
    assert same(regrad.dask.grid_sampler_2d(*odd[1:]), regrad.grid_sampler_2d(image, grid))
    wanted = regrad.grid_sampler_2d_backward(gradient, image, grid)
    assert all(same(*pair) for pair in zip(regrad.dask.grid_sampler_2d_backward(*odd), wanted))


# ---- Arguments ----


def test_arrays_in_memory_are_one_chunk():
    array = random_array(4, (3, 2, 5, 5), np.dtype("f8"))
    found = regrad.dask.upsample_bicubic2d(array[:, ::-1], (4, 6))
    assert found.chunks == ((3,), (2,), (4,), (6,)) and same(found, regrad.upsample_bicubic2d(array[:, ::-1], (4, 6)))
    assert same(regrad.dask.upsample_bicubic2d(memoryview(array), (4, 6)), regrad.upsample_bicubic2d(array, (4, 6)))


def test_arrays_of_bits_stand_for_bfloat16():
    """As they come where ml_dtypes is not installed."""
    dtype = np.dtype([("bfloat16", "u2")])
    array = np.array([0x3F80, 0x4000], "u2").view(dtype).reshape(1, 2, 1, 1)  # 1 and 2
    found = regrad.dask.upsample_nearest2d_backward(da.from_array(array, chunks=1), (1, 1)).compute()
    assert found.view("u2").ravel().tolist() == [0x3F80, 0x4000]
    image, grid = np.zeros((1, 2, 2, 2), dtype), np.zeros((1, 1, 1, 2), dtype)
    with pytest.raises(
        TypeError, match="^grid_sampler_2d_backward: channel_chunks is 'sum', which adds bfloat16; wanted"
    ):
        regrad.dask.grid_sampler_2d_backward(array, image, grid, channel_chunks="sum")


def test_iterators_are_taken_once():
    array = random_array(4, (3, 2, 5, 5), np.dtype("f4"))
    found = regrad.dask.upsample_bilinear2d(
        da.from_array(array, chunks=(1, 2, 5, 5)), iter((10, 10)), scales=iter((2, 2))
    )
    assert same(found, regrad.upsample_bilinear2d(array, (10, 10), scales=2))


@pytest.mark.parametrize("shape", [(0, 3, 4, 4), (2, 0, 4, 4)])
def test_arrays_without_elements(shape):
    array, grid = da.zeros(shape, chunks=(1, 2, 4, 4), dtype="f4"), da.zeros((shape[0], 4, 4, 2), dtype="f4")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", regrad.dask.RechunkWarning)
        sampled = regrad.dask.grid_sampler_2d_backward(array, array, grid)
        added = regrad.dask.grid_sampler_2d_backward(array, array, grid, channel_chunks="sum")
    assert same(regrad.dask.upsample_bilinear2d(array, (2, 2)), np.zeros((*shape[:2], 2, 2), "f4"))
    for input_grad, grid_grad in (sampled, added):
        assert same(input_grad, np.zeros(shape, "f4")) and same(grid_grad, np.zeros(grid.shape, "f4"))


def test_no_points():
    grid = da.zeros((2, 0, 3, 2), chunks=(1, 1, 3, 2), dtype="f4")
    assert same(regrad.dask.grid_sampler_2d(np.ones((2, 3, 4, 4), "f4"), grid), np.zeros((2, 3, 0, 3), "f4"))


def masked(block):
    return np.ma.masked_array(block, block > 0)


IMAGE, GRID = da.ones((2, 3, 4, 4), chunks=(1, 3, 4, 4), dtype="f4"), da.zeros((2, 5, 5, 2), dtype="f4")
UNKNOWN = da.ones((6, 3, 4, 4), chunks=(2, 3, 4, 4))[da.arange(6, chunks=2) > 2]
REFUSED = [
    (lambda f: f.upsample_bilinear2d(UNKNOWN, (2, 2)), ValueError,
     r"upsample_bilinear2d: input\.shape is \(nan, 3, 4, 4\), wanted sizes that are known; "
     r"array\.compute_chunk_sizes\(\) finds them"),
    (lambda f: f.upsample_bilinear2d(IMAGE), TypeError,
     "upsample_bilinear2d: output_size is None, wanted 2 or 4 sizes, or scales or out"),
    (lambda f: f.upsample_bilinear2d(), TypeError, "upsample_bilinear2d: missing a required argument: 'input'"),
    (lambda f: f.upsample_bilinear2d(IMAGE, (2, 2), out=IMAGE), TypeError,
     "upsample_bilinear2d: got an unexpected keyword argument 'out'"),
    (lambda f: f.upsample_bilinear2d([1.0], (2, 2)), TypeError,
     "upsample_bilinear2d: input is of type list, wanted an array: anything with __dlpack__ or the buffer protocol"),
    (lambda f: f.upsample_bilinear2d(IMAGE.astype("i4"), (2, 2)), TypeError,
     r"upsample_bilinear2d: input\.dtype is int32, wanted float16, bfloat16, float32 or float64 in the machine's"),
    (lambda f: f.upsample_bilinear2d(IMAGE.map_blocks(masked), (2, 2)), TypeError,
     "upsample_bilinear2d: input is a masked array, the mask of which would be lost; wanted one without"),
    (lambda f: f.upsample_bilinear2d(IMAGE[0], (2, 2)), ValueError,
     "upsample_bilinear2d: input has 3 dimensions, wanted 4"),
    (lambda f: f.upsample_bilinear2d(IMAGE, (2, 0)), ValueError,
     r"upsample_bilinear2d: output_size\[1\] is 0, must be 1 or more"),
    (lambda f: f.upsample_bilinear2d(IMAGE, (3, 3, 2, 2)), ValueError, "upsample_bilinear2d: output_size"),
    (lambda f: f.upsample_nearest2d(IMAGE, (2, 2), law="up"), ValueError, "upsample_nearest2d: law is 'up', wanted"),
    (lambda f: f.resize_bilinear_v2_grad(IMAGE, UNKNOWN), ValueError,
     r"resize_bilinear_v2_grad: original_image\.shape is \(nan, 3, 4, 4\), wanted sizes that are known"),
    (lambda f: f.grid_sampler_2d(IMAGE, GRID[:1]), ValueError,
     r"grid_sampler_2d: grid\.shape\[0\] is 1, must be 2, as input\.shape\[0\]"),
    (lambda f: f.grid_sampler_2d(IMAGE, GRID.astype("f8")), TypeError, r"grid_sampler_2d: grid\.dtype is float64"),
    (lambda f: f.grid_sampler_2d_backward(IMAGE, IMAGE, GRID), ValueError,
     r"grid_sampler_2d_backward: grad_output\.shape\[2\] is 4, must be 5"),
    (lambda f: f.grid_sampler_2d_backward(IMAGE, IMAGE, GRID, output_mask=(True,)), ValueError,
     "grid_sampler_2d_backward: output_mask has 1 values, wanted 2"),
    (lambda f: f.grid_sampler_2d_backward(IMAGE, IMAGE, GRID, channel_chunks="add"), ValueError,
     "grid_sampler_2d_backward: channel_chunks is 'add', wanted 'join' or 'sum'"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "sentence"), REFUSED)
def test_wrong_arguments_are_refused_at_once(call, kind, sentence):
    with dask.config.set(scheduler=refuse_to_compute), pytest.raises(kind, match=f"^{sentence}"):
        call(regrad.dask)


# ---- The module ----


def run_python(program):
    command = [sys.executable, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_dask_is_imported_with_its_module_alone():
    assert run_python("import regrad, sys; assert 'dask' not in sys.modules").returncode == 0
    ended = run_python("import sys; sys.modules['dask.array'] = None; import regrad.dask")
    line = "ImportError: regrad.dask needs Dask: pip install 'dask[array]'"
    assert ended.returncode == 1 and ended.stderr.splitlines()[-1] == line


def test_options_are_no_arrays_of_dask():
    ones = np.ones((1, 2, 4, 4), "f4")
    mask = da.from_array(np.array([True, True]))
    with pytest.raises(TypeError, match="output_mask is an array of Dask, wanted a value that is known"):
        regrad.dask.grid_sampler_2d_backward(ones, ones, np.zeros((1, 4, 4, 2), "f4"), output_mask=mask)
    with pytest.raises(TypeError, match="upsample_bilinear2d: output_size is an array of Dask"):
        regrad.dask.upsample_bilinear2d(ones, da.from_array(np.array([5, 5])))
