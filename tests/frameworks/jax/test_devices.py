# SPDX-License-Identifier: Apache-2.0
"""Two devices, several threads, large arrays, memory."""

import os
import subprocess
import sys
import threading

import cases
import jax
import numpy as np
import problems
import pytest
import regrad
import regrad.jax
from jax.sharding import NamedSharding, PartitionSpec

F4 = np.dtype("f4")
N = PartitionSpec("n")


@pytest.fixture(name="mesh")
def _mesh():
    return jax.sharding.Mesh(np.array(jax.devices()), ("n",))


def test_there_are_two_devices():
    assert len(jax.devices()) == 2


def test_shards_are_the_whole(mesh):
    """Images and grids divided over N: the sample and both gradients keep their bits."""
    problem = cases.grid_sample(2)._replace(batch=(4, 3))
    _, x, grid = problem.arrays(cases.SEED, F4)
    sample = jax.shard_map(cases.sampler(problem), mesh=mesh, in_specs=(N, N), out_specs=N)

    def gradients(function):
        return jax.jit(jax.value_and_grad(lambda x, grid: function(x, grid).sum(), (0, 1)))(x, grid)[1]

    assert cases.same(jax.jit(sample)(x, grid), problem.call(x, grid))
    assert cases.same(sample(x, grid), problem.call(x, grid))
    assert cases.same(gradients(sample), problem.backward(np.ones((4, 3, *problem.n_out), F4), x, grid))


def test_gradients_of_what_shards_share_are_summed(mesh):
    """One grid for the images of both devices."""
    problem = cases.grid_sample(2)._replace(batch=(1, 3))
    g, x, grid = problem.arrays(cases.SEED, np.dtype("f8"))
    images = np.concatenate([x, 2 * x])
    sample = jax.shard_map(cases.sampler(problem), mesh=mesh, in_specs=(N, PartitionSpec()), out_specs=N)
    found = jax.jit(jax.grad(lambda x, grid: (g * sample(x, grid)).sum(), (0, 1)))(images, grid)
    wanted = [problem.backward(g, image[None], grid) for image in images]
    assert cases.same(found[0], np.concatenate([gradient for gradient, _ in wanted]))
    np.testing.assert_allclose(found[1], wanted[0][1] + wanted[1][1], rtol=1e-13, atol=1e-12)


def test_resizes_on_shards(mesh):
    problem = next(cases.resizes("upsample_bicubic2d"))._replace(batch=(4, 3))
    x, g = (problems.random_array(cases.SEED, shape, F4) for shape in (problem.source, problem.result))
    resize = cases.resize(problem)
    wanted = problem.call(x)
    assert cases.same(jax.pmap(resize)(x.reshape(2, 2, *x.shape[1:])), wanted.reshape(2, 2, *wanted.shape[1:]))
    divided = jax.device_put(x, NamedSharding(mesh, N))
    assert cases.same(jax.jit(resize)(divided), wanted)
    shards = jax.shard_map(resize, mesh=mesh, in_specs=N, out_specs=N)
    gradient = jax.jit(jax.grad(lambda x: (g * shards(x)).sum()))(divided)
    assert cases.same(gradient, problem._replace(operator="upsample_bicubic2d_backward").call(g))


def test_the_second_device():
    x = problems.random_array(cases.SEED, (1, 2, 4, 5), F4)
    result = regrad.jax.upsample_bilinear2d(jax.device_put(x, jax.devices()[1]), (7, 9))
    assert result.devices() == {jax.devices()[1]}
    assert cases.same(result, regrad.upsample_bilinear2d(x, (7, 9)))


def test_threads():
    """Eight threads run the same program and programs of their own, and all end."""
    x = problems.random_array(cases.SEED, (2, 3, 40, 50), F4)
    shared = jax.jit(lambda x: regrad.jax.upsample_bicubic2d(x, (60, 70)))
    wanted, found = regrad.upsample_bicubic2d(x, (60, 70)), []

    def work(k):
        own = jax.jit(lambda x: regrad.jax.upsample_bilinear2d(x, (k + 1, 30)))
        for _ in range(20):
            found.append(cases.same(shared(x), wanted))
            found.append(cases.same(own(x), regrad.upsample_bilinear2d(x, (k + 1, 30))))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 320


LARGE = """
import sys
sys.path[:0] = {path!r}
import jax, jax.numpy as jnp, numpy as np, regrad, regrad.jax
def peak():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM:")) * 1024
size = (1536, 1536)
program = jax.jit(lambda x: regrad.jax.upsample_bilinear2d(x, size))
x = jax.random.uniform(jax.random.key(1), (3, 4, 1024, 1024)).block_until_ready()
program.lower(x).compile()
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")  # the peak begins anew
before = peak()
result = program(x).block_until_ready()
growth = peak() - before
wanted = regrad.upsample_bilinear2d(np.asarray(x), size)
chain = jax.jit(lambda x: program(jnp.sin(program(x)[..., :1024, :1024])) + 1)(x).block_until_ready()
print(growth, result.nbytes, np.asarray(result).tobytes() == wanted.tobytes(), bool(jnp.isfinite(chain).all()))
"""


def test_large_arrays_are_not_copied_and_end():
    """48 MiB become 108, for which a call needs 16 MiB more at most. XLA has one thread, which may wait for none."""
    done = subprocess.run(
        [sys.executable, "-c", LARGE.format(path=sys.path)],
        capture_output=True, text=True, check=False, timeout=120,
        env={**os.environ, "JAX_ENABLE_X64": "0", "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    growth, size, is_same, is_finite = done.stdout.split()
    assert (is_same, is_finite) == ("True", "True")
    assert int(growth) <= int(size) + (16 << 20)
