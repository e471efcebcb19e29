#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""dask_resize.py - images in a zarr store larger than memory, halved by workers of Dask, and the gradient of it.

    python dask_resize.py [--gigabytes 2] [--workers 2] [--memory-limit 300MB] [--directory DIRECTORY]

It makes the store, and for a plain copy, the halving and its gradient prints the time, the bytes read and written a
second, and the most memory that a worker had. In the end it compares samples with the results in memory, removes the
stores, and ends with status 1 if bits differ. It needs pip install 'dask[array]' distributed 'zarr>=3'.
"""

import argparse
import os
import pathlib
import resource
import sys
import tempfile
import time

import dask.array as da
import numpy as np
import regrad
import regrad.dask
import zarr
from distributed import Client, LocalCluster, progress

SAMPLE = (1, 4, 1024, 1024)  # one chunk: 16 MiB of float32
FULL, HALF = SAMPLE[2:], (512, 512)


def new_store(path, shape, chunks):
    """A store whose chunks are not compressed."""
    return zarr.create_array(path, shape=shape, chunks=chunks, dtype="f4", compressors=None)


def make_images(path, n_samples):
    """A store of noise, each sample other noise."""
    store = new_store(path, (n_samples, *SAMPLE[1:]), SAMPLE)
    for n in range(n_samples):
        store[n] = np.random.default_rng(n).standard_normal(SAMPLE[1:], np.float32)
    return store


def peak_memory():
    """The most bytes that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def compute(client, name, given, lazy, path):
    """Writes a result to a new store, and says how fast."""
    result = new_store(path, lazy.shape, lazy.chunksize)
    begin = time.perf_counter()
    stored = client.compute(da.store(lazy, result, lock=False, compute=False))
    if sys.stdout.isatty():
        progress(stored, notebook=False)
        print()
    stored.result()
    seconds = time.perf_counter() - begin
    moved = (given.nbytes + lazy.nbytes) / 1e9
    peak = max(client.run(peak_memory).values()) / 1e6
    print(f"{name:10} {seconds:6.1f} s  {moved / seconds:5.2f} GB/s  {peak:4.0f} MB in a worker at most", flush=True)
    return result


def run(client, directory, n_samples):
    """Copies, halves, computes the gradient of the halving. Are the bits of some samples those in memory?"""
    images = make_images(directory / "images", n_samples)
    lazy = da.from_zarr(images)
    print(f"{n_samples} samples of {SAMPLE[1:]}, {images.nbytes / 1e9:.2f} GB; workers: {len(client.run(os.getpid))}")
    compute(client, "copy", lazy, lazy + 0, directory / "copy")
    halves = compute(client, "halve", lazy, regrad.dask.upsample_bilinear2d_aa(lazy, HALF), directory / "halves")
    given = da.from_zarr(halves)
    back = regrad.dask.upsample_bilinear2d_aa_backward(given, FULL)
    gradients = compute(client, "gradient", given, back, directory / "gradients")
    for n in {0, n_samples // 2, n_samples - 1}:
        half = regrad.upsample_bilinear2d_aa(images[n : n + 1], HALF)
        gradient = regrad.upsample_bilinear2d_aa_backward(half, FULL)
        if halves[n : n + 1].tobytes() != half.tobytes() or gradients[n : n + 1].tobytes() != gradient.tobytes():
            return False
    return True


def main():
    """Reads the command line."""
    parser = argparse.ArgumentParser(description="halves images in a zarr store by workers of Dask")
    parser.add_argument("--gigabytes", type=float, default=2, help="size of the store of images")
    parser.add_argument("--workers", type=int, default=2, help="processes, of one thread each")
    parser.add_argument("--memory-limit", default="300MB", help="of each worker")
    parser.add_argument("--directory", help="where the stores lie while it runs")
    options = parser.parse_args()
    n_samples = max(1, round(options.gigabytes * 1e9 / (4 * np.prod(SAMPLE))))
    with (
        tempfile.TemporaryDirectory(dir=options.directory) as directory,
        LocalCluster(
            n_workers=options.workers, threads_per_worker=1, memory_limit=options.memory_limit, protocol="tcp://",
            dashboard_address=None, local_directory=directory,
        ) as cluster,
        Client(cluster) as client,
    ):  # fmt: skip
        same = run(client, pathlib.Path(directory), n_samples)
    print("the bits of memory" if same else "OTHER BITS")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
