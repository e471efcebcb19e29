# SPDX-License-Identifier: Apache-2.0
"""The laws of docs/operators.md: of a resize as a matrix for each axis, of a grid sample as lists of taps.

A forward gathers along them, a gradient scatters. Coordinates are computed in the precision that a law states, weights
and sums in NumPy's longest type, together with what bounds the library's error (docs/numerics.md).
"""

from typing import NamedTuple

import numpy as np

EXACT = np.longdouble  # as good as exact beside float64
DIGITS = {"float16": (11, -14), "bfloat16": (8, -126), "float32": (24, -126), "float64": (53, -1022)}


def arithmetic(dtype):
    """The type in which an operator on this type computes."""
    return np.float64 if np.dtype(dtype) == np.float64 else np.float32


class Sums:
    """Exact results, and of each the sum of the magnitudes of its terms, their number, and errors of weights."""

    def __init__(self, shape):
        self.value, self.magnitude, self.slack, self.n_terms = (np.zeros(shape, EXACT) for _ in range(4))

    def add(self, at, weight, operand, error=0.0):
        """A weight of 0 adds nothing and rounds nothing."""
        at = (Ellipsis, at)
        np.add.at(self.value, at, weight * operand)
        np.add.at(self.magnitude, at, np.abs(weight * operand))
        np.add.at(self.slack, at, error * np.abs(operand))
        np.add.at(self.n_terms, at, np.broadcast_to((weight != 0) | (error != 0), np.shape(operand)))

    def bound(self, dtype):
        """|result - value| <= ((n + 4) S + errors of weights) u + one rounding to the stored type.

        u is half of a unit in the last place of 1. The terms below the normal range add 4 n times the smallest number.
        """
        precise = arithmetic(dtype)
        unit = float(np.finfo(precise).eps) / 2
        tiny = float(np.nextafter(precise(0), precise(1)))
        bound = ((self.n_terms + 4) * self.magnitude + self.slack) * unit + 4 * self.n_terms * tiny
        return bound + rounding(np.abs(self.value) + bound, dtype)

    def check(self, result, dtype):
        """Fails where a result is beyond its bound."""
        error = np.abs(result.astype(EXACT) - self.value.reshape(result.shape))
        excess = error - self.bound(dtype).reshape(result.shape)
        assert not (excess > 0).any(), f"beyond the bound by up to {excess.max()}: {result} for {self.value}"
        assert not np.isnan(error).any(), f"NaN in {result}"


def rounding(magnitude, dtype):
    """Half of a unit in the last place of a number of this size."""
    digits, least = DIGITS[np.dtype(dtype).name]
    _, exponent = np.frexp(magnitude)
    return np.ldexp(0.5, np.maximum(exponent - 1, least) - (digits - 1))


# ---- Axes of a resize: (O, I, scale) to a matrix ----


class Matrix(NamedTuple):
    """Row o, column i: the weight with which output o reads input i, and what the library's may be off by."""

    weight: np.ndarray
    error: np.ndarray  # in half units of the last place of 1


def _matrix(n_in, n_out, taps):
    """From (o, i, weight, error); what one output reads from one input several times is added."""
    made = Matrix(np.zeros((n_out, n_in), EXACT), np.zeros((n_out, n_in), EXACT))
    for o, i, weight, error in taps:
        made.weight[o, i] += weight
        made.error[o, i] += error
    return made


def _copied(n):
    return _matrix(n, n, [(k, k, 1, 0) for k in range(n)])


def _step(n_in, n_out, scale, precise, coordinates=None):
    if coordinates == "align_corners":
        return precise(n_in - 1) / precise(n_out - 1) if n_out > 1 else precise(0)
    if scale > 0:
        return precise(1.0 / scale)
    return precise(n_in) / precise(n_out)


def _where(n_in, n_out, scale, coordinates, precise):
    """The source coordinates of all outputs."""
    step, o = _step(n_in, n_out, scale, precise, coordinates), np.arange(n_out).astype(precise)
    return step * (o + precise(0.5)) - precise(0.5) if coordinates == "half_pixel" else step * o


def nearest_axis(n_in, n_out, scale, law, offset):
    """Both laws of nearest and nearest-exact, the centres of whose pixels lie at `offset`: 0 and 0.5.

    By the gather law an output may have no owner, and then reads nothing.
    """
    if law == "forward":
        where = ((np.arange(n_out) + offset) * np.float64(_step(n_in, n_out, scale, np.float32))).astype(np.float32)
        source = np.minimum(np.floor(where).astype(np.int64), n_in - 1)
        return _matrix(n_in, n_out, [(o, i, 1, 0) for o, i in enumerate(source)])
    factor = np.float32(scale) if scale > 0 else np.float32(n_out) / np.float32(n_in)
    edges = np.ceil(np.arange(n_in + 1, dtype=np.float32) * factor - np.float32(offset))
    begin = np.clip(edges, 0, n_out).astype(np.int64)
    return _matrix(n_in, n_out, [(o, i, 1, 0) for i in range(n_in) for o in range(begin[i], begin[i + 1])])


def linear_axis(n_in, n_out, scale, coordinates, precise):
    """Two taps for each output, with weights in the arithmetic type; one where an axis keeps its length."""
    if n_in == n_out:
        return _copied(n_in)
    where = np.maximum(_where(n_in, n_out, scale, coordinates, precise), precise(0))
    left = np.minimum(where.astype(np.int64), n_in - 1)
    right = np.clip(where - left.astype(precise), precise(0), precise(1))
    right[left == n_in - 1] = 0  # both are the last pixel, which has weight 1
    taps = [(o, left[o], precise(1) - right[o], 0) for o in range(n_out)]
    taps += [(o, min(left[o] + 1, n_in - 1), right[o], 0) for o in range(n_out)]
    return _matrix(n_in, n_out, taps)


def _of_table(weight, error_in_double, precise):
    """Half units by which a weight is off that was computed in double and rounded to the table's type."""
    return error_in_double + np.abs(weight) if precise is np.float64 else 1e-6 * error_in_double + np.abs(weight)


def cubic_axis(n_in, n_out, scale, coordinates, precise):
    """Cubic convolution with A = -0.75 of the four inputs around a coordinate, each clamped to the axis."""
    if n_in == n_out and _step(n_in, n_out, scale, precise, coordinates) == 1:
        return _copied(n_in)
    if n_in == 1:
        return _matrix(1, n_out, [(o, 0, 1, 0) for o in range(n_out)])
    where = _where(n_in, n_out, scale, coordinates, precise)
    base = np.minimum(np.floor(where).astype(np.int64), n_in - 1)
    t = np.clip(where - base.astype(precise), precise(0), precise(1)).astype(EXACT)
    weights, errors, _, _ = _cubic(t)
    source = np.clip(base + np.arange(-1, 3)[:, None], 0, n_in - 1)
    taps = [(o, source[k][o], weights[k][o], errors[k][o]) for o in range(n_out) for k in range(4)]
    made = _matrix(n_in, n_out, taps)
    return made._replace(error=_of_table(made.weight, made.error, precise))


def _sinc(x):
    """sin(pi x) / (pi x), exactly 0 at whole distances."""
    whole = np.rint(x)
    angle = np.longdouble("3.14159265358979323846264338327950288")
    sine = np.where(whole % 2 == 0, 1, -1) * np.sin(angle * (x - whole))
    return np.where(x == 0, 1, sine / (angle * np.where(x == 0, 1, x)))


FILTERS = {
    "bilinear": (1, lambda x: 1 - x),
    "bicubic": (2, lambda x: np.where(x < 1, 1 - 2.5 * x**2 + 1.5 * x**3, 2 - 4 * x + 2.5 * x**2 - 0.5 * x**3)),
    "lanczos": (3, lambda x: _sinc(x) * _sinc(x / 3)),
}


def antialiased_axis(n_in, n_out, scale, coordinates, precise, name):
    """A filter that is stretched where an axis shrinks, over the sum of its weights.

    The library rounds each value of the filter, their sum at each step, and the quotient.
    """
    if n_in == n_out:
        return _copied(n_in)
    half, filter_of = FILTERS[name]
    step = _step(n_in, n_out, scale, precise, coordinates)
    support = precise(half * np.float64(step)) if step >= 1 else precise(half)
    inverse = precise(1 / np.float64(step)) if step >= 1 else precise(1)
    most = 2 * int(np.ceil(support)) + 1
    taps = []
    for o in range(n_out):
        centre = precise(np.float64(step) * (o + 0.5))
        low = max(int(np.float64(centre - support) + 0.5), 0)
        count = int(np.clip(min(int(np.float64(centre + support) + 0.5), n_in) - low, 0, most))
        i = np.arange(low, low + count)
        x = np.abs(((i.astype(precise) - centre).astype(np.float64) + 0.5) * np.float64(inverse)).astype(precise)
        value = np.where(x < half, filter_of(x.astype(EXACT)), EXACT(0))
        off = _of_table(value, 8.0, precise)
        total, unit = value.sum(), np.finfo(precise).eps / 2
        if total == 0:
            taps += zip([o] * count, i, value, off)
            continue
        total_off = off.sum() + count * np.abs(value).sum()
        least = np.abs(total) - total_off * unit
        weight = value / total
        taps += zip([o] * count, i, weight, off / least + np.abs(weight) * (total_off / least + 2))
    return _matrix(n_in, n_out, taps)


def product(axes):
    """The matrix of all axes, whose elements are counted row by row."""
    made = axes[0]
    for axis in axes[1:]:
        error = np.kron(made.error, np.abs(axis.weight)) + np.kron(np.abs(made.weight), axis.error)
        made = Matrix(np.kron(made.weight, axis.weight), error)
    return made


def resample(matrix, planes, backward):
    """A resize of (planes, elements), or its gradient."""
    weight, error = (matrix.weight, matrix.error) if backward else (matrix.weight.T, matrix.error.T)
    sums = Sums((len(planes), weight.shape[1]))
    sums.value = planes @ weight
    sums.magnitude = np.abs(planes) @ np.abs(weight)
    sums.slack = np.abs(planes) @ error
    sums.n_terms = sums.n_terms + np.count_nonzero((weight != 0) | (error != 0), axis=0)
    return sums


# ---- Grid sample ----


class Taps(NamedTuple):
    """Output o reads input i with weight w, which the library may have rounded `error` times more."""

    output: np.ndarray
    input: np.ndarray
    weight: np.ndarray
    error: np.ndarray


def gather(taps, planes, n_out):
    """A forward of (planes, n_in)."""
    sums = Sums((len(planes), n_out))
    sums.add(taps.output, taps.weight, planes[:, taps.input], taps.error)
    return sums


def scatter(taps, planes, n_in):
    """The gradient for (planes, n_out)."""
    sums = Sums((len(planes), n_in))
    sums.add(taps.input, taps.weight, planes[:, taps.output], taps.error)
    return sums


class Axis(NamedTuple):
    """Of the points on one axis: up to four neighbours (-1: none), their weights, derivatives and errors; the slope."""

    index: np.ndarray
    weight: np.ndarray
    error: np.ndarray
    derivative: np.ndarray
    derivative_error: np.ndarray
    slope: np.ndarray


def _reflect(pixel, size, align_corners, slope):
    precise = pixel.dtype.type
    low, span = (0, size - 1) if align_corners else (-0.5, size)
    if span == 0:
        return np.zeros_like(pixel), slope
    distance = pixel - precise(low)
    within = np.fmod(np.abs(distance), precise(2 * span))
    slope = np.where(distance < 0, -slope, slope)
    slope = np.where(within > span, -slope, slope)
    return np.where(within > span, precise(2 * span) - within, within) + precise(low), slope


def _clamp(pixel, size, slope):
    slope = np.where((pixel <= 0) | (pixel >= size - 1), 0, slope)
    return np.clip(pixel, 0, size - 1).astype(pixel.dtype), slope


def _cubic(t):
    """Cubic convolution with A = -0.75, and how many roundings docs/numerics.md allows to weights and derivatives."""
    a = -0.75
    weights, errors, slopes, slope_errors = [[None] * 4 for _ in range(4)]
    for outer, inner, x, turn in ((0, 1, t, 1), (3, 2, 1 - t, -1)):
        u = 1 - x
        weights[outer] = a * x * u * u
        weights[inner] = u * (1 + x - (a + 2) * x * x)
        errors[outer], errors[inner] = 7 * np.abs(weights[outer]), 22 * np.abs(weights[inner])
        slopes[outer] = turn * a * u * (1 - 3 * x)
        slopes[inner] = -turn * x * (4.5 - 3.75 * x)
        slope_errors[outer] = 6 * -a * u * (1 + 3 * x)
        slope_errors[inner] = 4 * x * (4.5 + 3.75 * x)
    return [np.array(values) for values in (weights, errors, slopes, slope_errors)]


def _weights(mode, t):
    """Of the neighbours of points at fraction t, which has the arithmetic type: as `_cubic`."""
    if mode == "bicubic":
        return _cubic(t.astype(EXACT))
    if mode == "nearest":
        weight = np.ones((1, len(t)))
        return weight, 0 * weight, 0 * weight, 0 * weight
    weight = np.array([t.dtype.type(1) - t, t], EXACT)
    derivative = np.array([-np.ones(len(t)), np.ones(len(t))])
    return weight, 0 * weight, derivative, 0 * weight


def _neighbours(base, mode, padding, size, align_corners):
    first = -1 if mode == "bicubic" else 0
    index = base + np.arange(first, first + {"nearest": 1, "bilinear": 2, "bicubic": 4}[mode])[:, None]
    if mode == "bicubic" and padding == "border":
        return np.clip(index, 0, size - 1)
    if mode == "bicubic" and padding == "reflection":
        period = 2 * (size - 1) if align_corners else 2 * size
        within = index % period if period else np.zeros_like(index)
        return np.where(within < size, within, period - within - (0 if align_corners else 1))
    return np.where((index >= 0) & (index < size), index, -1)


def grid_axis(coordinate, size, mode, padding, align_corners):
    """Where points read. Coordinates have the arithmetic type."""
    precise = coordinate.dtype.type
    with np.errstate(all="ignore"):
        pixel = (coordinate + precise(1)) / precise(2) * precise(size - 1)
        if not align_corners:
            pixel = ((coordinate + precise(1)) * precise(size) - precise(1)) / precise(2)
        has_pixel = np.abs(pixel) < 2.0**63
    slope = np.full(len(pixel), (size - 1 if align_corners else size) / 2)
    lost = np.where((padding == "border") & (coordinate > 0), size - 1, 0).astype(pixel.dtype)
    pixel = np.where(has_pixel, pixel, lost)
    if padding == "reflection" and mode != "bicubic":
        pixel, slope = _reflect(pixel, size, align_corners, slope)
    if padding != "zeros" and mode != "bicubic":
        pixel, slope = _clamp(pixel, size, slope)
    base = np.rint(pixel) if mode == "nearest" else np.floor(pixel)
    index = _neighbours(np.clip(base, -(2.0**40), 2.0**40).astype(np.int64), mode, padding, size, align_corners)
    if padding == "zeros":
        index = np.where(has_pixel, index, -1)
    return Axis(index, *_weights(mode, pixel - base), np.where(has_pixel, slope, 0))


def _spread(values):
    """One list of (neighbours, points) for each axis, so that they multiply to (neighbours ..., points)."""
    n = len(values)
    return [v.reshape([len(v) if k == axis else 1 for k in range(n)] + [-1]) for axis, v in enumerate(values)]


def _times(factors):
    """The product of (value, error) of all axes."""
    values, errors = _spread([f[0] for f in factors]), _spread([f[1] for f in factors])
    value, error = values[0], errors[0]
    for v, e in zip(values[1:], errors[1:]):
        value, error = value * v, error * np.abs(v) + np.abs(value) * e
    return value, error


def _touched(axes, sizes):
    """Of all taps of points whether they are in the image, and of those that are the point and the pixel."""
    indices = _spread([axis.index for axis in axes])
    inside, pixel = indices[0] >= 0, indices[0]
    for index, size in zip(indices[1:], sizes[1:]):
        inside, pixel = inside & (index >= 0), pixel * size + index
    point = np.broadcast_to(np.arange(pixel.shape[-1]), pixel.shape)
    return inside, point[inside], pixel[inside]


def grid_taps(axes, sizes):
    """The taps of a sample's plane, for `gather` and `scatter`; axes from the outermost, of these lengths."""
    inside, point, pixel = _touched(axes, sizes)
    weight, error = _times([(axis.weight, axis.error) for axis in axes])
    return Taps(point, pixel, weight[inside], error[inside])


def grid_gradient(axes, sizes, gradient, image):
    """The gradient of a sample's points, as x, y, x, y ... from (channels, points) and (channels, pixels)."""
    inside, point, pixel = _touched(axes, sizes)
    n = len(axes)
    sums = Sums(n * axes[0].index.shape[1])
    for k in range(n):  # x is the innermost axis
        factors = [(axis.weight, axis.error) for axis in axes]
        along = axes[n - 1 - k]
        factors[n - 1 - k] = (along.derivative * along.slope, along.derivative_error * np.abs(along.slope))
        weight, error = _times(factors)
        for g, plane in zip(gradient, image):
            sums.add(n * point + k, weight[inside], g[point] * plane[pixel], error[inside])
    return sums
