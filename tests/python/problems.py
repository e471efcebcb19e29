# SPDX-License-Identifier: Apache-2.0
"""Problems that the tests draw: calls of operators, their reference, and arrays that lie in memory in many ways."""

from typing import Any, NamedTuple

import numpy as np
import reference
import regrad
from hypothesis import strategies as st

try:
    from ml_dtypes import bfloat16
except ImportError:  # the package does without, but then has no numbers of this type
    bfloat16 = None

FLOATS = [np.dtype(t) for t in ("f2", "f4", "f8")] + ([np.dtype(bfloat16)] if bfloat16 else [])
COORDINATES = ("half_pixel", "align_corners", "asymmetric")
LAWS = ("forward", "gather")
KINDS = {  # number of axes, and modes
    "upsample_nearest1d": (1, LAWS),
    "upsample_nearest2d": (2, LAWS),
    "upsample_nearest3d": (3, LAWS),
    "upsample_nearest_exact1d": (1, LAWS),
    "upsample_nearest_exact2d": (2, LAWS),
    "upsample_nearest_exact3d": (3, LAWS),
    "upsample_linear1d": (1, COORDINATES),
    "upsample_bilinear2d": (2, COORDINATES),
    "upsample_trilinear3d": (3, COORDINATES),
    "upsample_bicubic2d": (2, COORDINATES),
    "upsample_bilinear2d_aa": (2, COORDINATES[:2]),
    "upsample_bicubic2d_aa": (2, COORDINATES[:2]),
    "upsample_lanczos2d_aa": (2, COORDINATES[:2]),
}
GRAPH = {
    "resize_bilinear_v2_grad": (2, COORDINATES),
    "upsample_nearest_exact2d_grad": (2, ("gather",)),
}
RESIZES = {**KINDS, **{f"{name}_backward": kind for name, kind in KINDS.items()}, **GRAPH}
# Of each gradient the forward.
FORWARDS = {
    **{f"{name}_backward": name for name in KINDS},
    "resize_bilinear_v2_grad": "upsample_bilinear2d",
    "upsample_nearest_exact2d_grad": "upsample_nearest_exact2d",
}
MODES = ("bilinear", "nearest", "bicubic")
PADDINGS = ("zeros", "border", "reflection")


def is_gradient(operator):
    """Is this the gradient of a forward?"""
    return operator.endswith(("backward", "grad"))


# ---- Arrays ----


class Layout(NamedTuple):
    """How an array lies in memory: the order of axes from the outermost, steps (negative: backwards), an offset."""

    order: tuple
    steps: tuple
    offset: int


def layouts(rank):
    """Any order, steps up to 3 in either direction, any offset."""
    steps = st.tuples(*[st.sampled_from([1, 1, 1, 2, 3, -1, -2])] * rank)
    return st.builds(Layout, st.permutations(range(rank)).map(tuple), steps, st.integers(0, 3))


def lay_out(values, layout):
    """The same values in memory of another layout, which may be for more axes."""
    layout = layout._replace(order=tuple(axis for axis in layout.order if axis < values.ndim))
    shape = [values.shape[axis] for axis in layout.order]
    steps = [layout.steps[axis] for axis in layout.order]
    room = [n * abs(step) for n, step in zip(shape, steps)]
    memory = np.full(layout.offset + int(np.prod(room)), 77, values.dtype)
    view = memory[layout.offset :].reshape(room)[tuple(slice(None, None, step) for step in steps)]
    view = view.transpose(np.argsort(layout.order))
    view[...] = values
    return view


def random_array(seed, shape, dtype):
    """Numbers of about 1, or bytes."""
    generator = np.random.default_rng(seed)
    if dtype == np.uint8:
        return generator.integers(0, 256, shape, np.uint8)
    return generator.standard_normal(shape).astype(dtype)


def bits(array):
    """What memcmp compares."""
    return np.ascontiguousarray(array).tobytes()


# ---- Resizes ----


class Resize(NamedTuple):
    """A call of a resize or of its gradient."""

    operator: str
    mode: str
    batch: tuple
    n_in: tuple  # of the forward
    n_out: tuple
    scales: Any

    @property
    def source(self):
        """The shape of the array that is given."""
        return self.batch + (self.n_out if is_gradient(self.operator) else self.n_in)

    @property
    def result(self):
        """The shape of the result."""
        return self.batch + (self.n_in if is_gradient(self.operator) else self.n_out)

    def arguments(self):
        """What the function takes beside the array."""
        if self.operator == "resize_bilinear_v2_grad":
            switches = {"align_corners": self.mode == "align_corners", "half_pixel_centers": self.mode == "half_pixel"}
            return (self.result,), {"scales": self.scales, **switches}
        if self.operator == "upsample_nearest_exact2d_grad":
            return (self.n_out, self.n_in), {"scales": self.scales}
        option = "law" if "nearest" in self.operator else "coordinates"
        return (self.result[2:],), {"scales": self.scales, option: self.mode}

    def call(self, array, **options):
        """The function's result."""
        positional, named = self.arguments()
        return getattr(regrad, self.operator)(array, *positional, **named, **options)

    def plan(self, array, **options):
        """A plan of the call."""
        positional, named = self.arguments()
        return regrad.Plan(self.operator, array, *positional, **named, **options)

    def matrix(self, dtype):
        """What reads what, in a plane."""
        kind = FORWARDS.get(self.operator, self.operator)
        precise = reference.arithmetic(dtype)
        axes = []
        for n_in, n_out, scale in zip(self.n_in, self.n_out, self.scales or (None,) * 3):
            axis = (n_in, n_out, scale or 0, self.mode)
            if "nearest" in kind:
                axes.append(reference.nearest_axis(*axis, 0.5 if "exact" in kind else 0))
            elif kind.endswith("_aa"):
                axes.append(reference.antialiased_axis(*axis, precise, kind.split("_")[1][:-2]))
            else:
                of = reference.cubic_axis if "cubic" in kind else reference.linear_axis
                axes.append(of(*axis, precise))
        return reference.product(axes)

    def expect(self, array):
        """The reference's result."""
        planes = array.astype(reference.EXACT).reshape(self.batch[0] * self.batch[1], -1)
        return reference.resample(self.matrix(array.dtype), planes, is_gradient(self.operator))


SCALES = (None, 0.3, 0.5, 1.0, 1.7, 2.0, 3.0)
MOST = {1: 30, 2: 12, 3: 6}  # of the lengths of axes, by their number


@st.composite
def resizes(draw, operators=tuple(RESIZES)):
    """Any resize of these."""
    operator = draw(st.sampled_from(operators))
    n_axes, modes = RESIZES[operator]
    sizes = st.tuples(*[st.integers(1, MOST[n_axes])] * n_axes)
    scales = st.one_of(st.none(), st.tuples(*[st.sampled_from(SCALES)] * n_axes))
    batch = (draw(st.integers(1, 3)), draw(st.integers(1, 5)))
    factors = draw(scales)
    if factors and operator in GRAPH:  # which take float32
        factors = tuple(None if f is None else float(np.float32(f)) for f in factors)
    n_in, n_out = draw(sizes), draw(sizes)
    if draw(st.sampled_from([False, False, True])):  # an axis keeps its length
        n_out = (n_in[0], *n_out[1:])
    return Resize(operator, draw(st.sampled_from(modes)), batch, n_in, n_out, factors)


# ---- Grid samples ----


class GridSample(NamedTuple):
    """The options and shapes of a grid sample."""

    mode: str
    padding: str
    align_corners: bool
    batch: tuple
    n_in: tuple
    n_out: tuple

    @property
    def options(self):
        """What the function takes beside arrays."""
        return {"mode": self.mode, "padding_mode": self.padding, "align_corners": self.align_corners}

    def arrays(self, seed, dtype):
        """grad_output, input and grid; some points lie far outside, or nowhere."""
        generator = np.random.default_rng(seed)
        grid = generator.uniform(-1.7, 1.7, (self.batch[0], *self.n_out, len(self.n_in)))
        strange = np.array([np.nan, np.inf, -np.inf, 1e30, 300, -77, -1, 1, 0])
        chosen = generator.random(grid.shape) < 0.05
        grid[chosen] = generator.choice(strange, chosen.sum())
        with np.errstate(over="ignore"):
            grid = grid.astype(dtype)
        shapes = (self.batch + self.n_out, self.batch + self.n_in)
        return (*(random_array(seed + k, shape, dtype) for k, shape in enumerate(shapes)), grid)

    def axes(self, points):
        """The reference's axes of a sample's points, x last."""
        n = len(self.n_in)
        flat = points.reshape(-1, n).astype(reference.arithmetic(points.dtype))
        options = (self.mode, self.padding, self.align_corners)
        return [reference.grid_axis(flat[:, n - 1 - k], size, *options) for k, size in enumerate(self.n_in)]

    def expect(self, gradient, image, grid):
        """Of each sample the reference's output, gradient of the input, and gradient of the grid."""
        n_pixels, n_points = int(np.prod(self.n_in)), int(np.prod(self.n_out))
        for g, planes, points in zip(gradient, image, grid):
            axes = self.axes(points)
            taps = reference.grid_taps(axes, self.n_in)
            g = g.reshape(-1, n_points).astype(reference.EXACT)
            planes = planes.reshape(-1, n_pixels).astype(reference.EXACT)
            yield (
                reference.gather(taps, planes, n_points),
                reference.scatter(taps, g, n_pixels),
                reference.grid_gradient(axes, self.n_in, g, planes),
            )

    def call(self, image, grid):
        """The function's result."""
        return getattr(regrad, f"grid_sampler_{len(self.n_in)}d")(image, grid, **self.options)

    def backward(self, gradient, image, grid, **options):
        """The result of the function for both gradients."""
        function = getattr(regrad, f"grid_sampler_{len(self.n_in)}d_backward")
        return function(gradient, image, grid, **self.options, **options)


@st.composite
def grid_samples(draw):
    """Any grid sample, with channels beyond the library's groups of 16."""
    n_axes, mode = draw(st.sampled_from([(n, mode) for n in (2, 3) for mode in MODES if (n, mode) != (3, "bicubic")]))
    sizes = st.tuples(*[st.integers(1, MOST[n_axes])] * n_axes)
    batch = draw(st.tuples(st.integers(1, 2), st.sampled_from([1, 2, 3, 8, 17])))
    return GridSample(mode, draw(st.sampled_from(PADDINGS)), draw(st.booleans()), batch, draw(sizes), draw(sizes))
