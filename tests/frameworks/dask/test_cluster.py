# SPDX-License-Identifier: Apache-2.0
"""Two worker processes that talk over TCP, and a store that is several times larger than they may grow."""

import os
import pathlib
import resource
import shutil
import signal
import time

import dask.array as da
import numpy as np
import problems
import psutil
import pytest
import regrad
import regrad.dask

distributed = pytest.importorskip("distributed")
zarr = pytest.importorskip("zarr", minversion="3")

LIMIT = 200 << 20  # bytes of a worker
SHAPE, CHUNK = (96, 8, 512, 512), (1, 8, 512, 512)  # 768 MiB of float32
SIZE = (256, 256)
SECONDS = 120  # no test takes as long


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """Two workers, and in the end none."""
    options = {"protocol": "tcp://", "host": "127.0.0.1", "dashboard_address": None, "memory_limit": LIMIT}
    scratch = str(tmp_path_factory.mktemp("workers"))
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, local_directory=scratch, **options
        ) as cluster,
        distributed.Client(cluster, timeout=SECONDS) as client,
    ):
        yield client
        processes = [psutil.Process(pid) for pid in client.run(os.getpid).values()]
    gone, left = psutil.wait_procs(processes, timeout=SECONDS)
    assert len(gone) == 2 and not left


@pytest.fixture
def gradients(tmp_path):
    """A store of gradients, each chunk other numbers. pytest would keep it for later runs to look at."""
    store = zarr.create_array(tmp_path / "gradients", shape=SHAPE, chunks=CHUNK, dtype="f4", compressors=None)
    some = np.random.default_rng(1).standard_normal(CHUNK, np.float32)
    for n in range(SHAPE[0]):
        store[n] = np.roll(some, 7 * n)[0]
    yield store
    shutil.rmtree(tmp_path)


def peak_memory():
    """The most bytes that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def n_chunks(store):
    """How many chunks a store on disk has."""
    return sum(path.is_file() for path in pathlib.Path(store).glob("c/**/*"))


def test_a_worker_is_killed_in_the_middle(client, gradients, tmp_path, capsys):
    before = client.run(os.getpid)
    lazy = regrad.dask.upsample_bilinear2d_backward(da.from_zarr(gradients), SIZE)
    result = zarr.create_array(
        tmp_path / "result", shape=lazy.shape, chunks=lazy.chunksize, dtype="f4", compressors=None
    )
    stored = client.compute(da.store(lazy, result, lock=False, compute=False))
    deadline = time.monotonic() + SECONDS
    while n_chunks(tmp_path / "result") < SHAPE[0] // 4 and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(min(before.values()), signal.SIGKILL)
    assert SHAPE[0] // 4 <= n_chunks(tmp_path / "result") < SHAPE[0]

    distributed.progress(stored, notebook=False)
    stored.result(timeout=SECONDS)
    assert "100% Completed" in capsys.readouterr().out
    client.wait_for_workers(2, timeout=SECONDS)
    after = client.run(os.getpid)
    assert len(set(after.values()) & set(before.values())) == 1  # one has another in its place
    assert max(client.run(peak_memory).values()) < LIMIT < gradients.nbytes / 3
    for n in range(SHAPE[0]):
        wanted = regrad.upsample_bilinear2d_backward(gradients[n : n + 1], SIZE)
        assert problems.bits(result[n : n + 1]) == problems.bits(wanted)


@pytest.mark.parametrize("dtype", problems.FLOATS, ids=str)
def test_arrays_of_every_type_travel(client, dtype):
    """Chunks go from worker to worker where they are joined, or added."""
    random = np.random.default_rng(2)
    shapes = (4, 6, 7, 5), (4, 6, 9, 8), (4, 7, 5, 2)
    gradient, image, grid = (random.uniform(-1.2, 1.2, shape).astype(dtype) for shape in shapes)
    arrays = (da.from_array(gradient, chunks=(1, 2, 7, 5)), da.from_array(image, chunks=(2, 2, 9, 8)))
    wanted = regrad.grid_sampler_2d_backward(gradient, image, grid)
    added = regrad.dask.grid_sampler_2d_backward(*arrays, grid, output_mask=(False, True), channel_chunks="sum")[1]
    with pytest.warns(regrad.dask.RechunkWarning):
        lazy = regrad.dask.grid_sampler_2d_backward(*arrays, grid)
    *found, on_workers = client.gather(client.compute([*lazy, added]))
    assert [bits_of(array) for array in found] == [bits_of(array) for array in wanted]
    assert bits_of(on_workers) == bits_of(added.compute(scheduler="synchronous"))


def bits_of(array):
    return array.dtype, array.shape, problems.bits(array)


def test_an_error_in_a_chunk_reaches_the_caller(client):
    """Dask states the type of an array without looking at its chunks."""
    lies = da.ones((2, 1, 4, 4), chunks=1).map_blocks(
        lambda block: block.astype("i4"), dtype="f4", meta=np.empty((0,) * 4, "f4")
    )
    lazy = regrad.dask.upsample_bilinear2d(lies.rechunk((1, 1, 4, 4)), (2, 2))
    with pytest.raises(TypeError, match=r"upsample_bilinear2d: input\.dtype is int32, wanted"):
        client.compute(lazy).result(timeout=SECONDS)
