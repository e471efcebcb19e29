#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Times PyTorch's gradients. The protocol stands in ../peer.h.

Only the operators themselves run: torch.ops.aten.*_backward, without autograd. Resize gradients write into a tensor
that was made before; grid_sampler_2d_backward allocates its results, unless this version can be given them.
"""
import mmap
import os
import sys
import time

try:
    import torch
except ImportError as error:
    print("cannot: %s" % error, flush=True)
    sys.exit(0)

SHARED_FILE = 3
DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16, "float64": torch.float64}
PADDINGS = ("zeros", "border", "reflection")
INTERPOLATIONS = ("bilinear", "nearest", "bicubic")


class Shape:
    """A line of a workload file; the driver has checked it."""

    def __init__(self, text):
        words = text.split()
        self.operation, self.dtype, self.layout = words[0], DTYPES[words[1]], words[2]
        self.input = [int(size) for size in words[3].split("x")]
        self.output = [int(size) for size in words[5].split("x")]
        self.words = words[6:]
        self.axes = len(self.output)
        scales = [word[len("scale="):].split("x") for word in self.words if word.startswith("scale=")]
        given = [float(scale) for scale in scales[0]] if scales else [None]
        self.scales = given * self.axes if len(given) == 1 else given

    def index(self, names):
        found = [names.index(word) for word in self.words if word in names]
        return found[-1] if found else 0

    def has(self, word):
        return word in self.words


def is_last(layout):
    """Are the channels behind the axes?"""
    return layout in ("NHWC", "NDHWC")


def storage_order(layout, sizes):
    """The sizes as they follow one another in memory."""
    return [sizes[0]] + sizes[2:] + [sizes[1]] if is_last(layout) else sizes


def as_seen(layout, tensor):
    """A tensor of that order, with its channels behind N."""
    return tensor.movedim(-1, 1) if is_last(layout) else tensor


class Place:
    """A tensor's part of the shared memory."""

    def __init__(self, sizes, layout, is_there):
        self.sizes, self.layout, self.is_there = sizes, layout, is_there
        self.elements = 0
        if is_there:
            self.elements = 1
            for size in sizes:
                self.elements *= size

    def view(self, shared, dtype):
        stored = torch.frombuffer(shared, dtype=dtype, count=self.elements, offset=self.offset)
        return as_seen(self.layout, stored.view(storage_order(self.layout, self.sizes)))


def places(shape):
    """The tensors in the order in which they stand in memory: as shape_memory in ../shape.c."""
    output = shape.input[:2] + shape.output
    grid = [shape.input[0]] + shape.output + [shape.axes]
    sampled, forward = shape.operation == "grid_sample", shape.has("forward")
    wants_input = not forward and not shape.has("grid_grad")
    wants_grid = not forward and sampled and not shape.has("input_grad")
    made = {
        "grad_output": Place(output, shape.layout, not forward),
        "grid": Place(grid, "NCHW", sampled),
        "input": Place(shape.input, shape.layout, forward or wants_grid),
        "input_grad": Place(shape.input, shape.layout, wants_input),
        "grid_grad": Place(grid, "NCHW", wants_grid),
        "output": Place(output, shape.layout, forward),
    }
    offset = 0
    size = torch.empty(0, dtype=shape.dtype).element_size()
    for place in made.values():
        place.offset = offset
        offset += (place.elements * size + 63) // 64 * 64
    return made


def empty(shape, sizes):
    stored = torch.empty(storage_order(shape.layout, sizes), dtype=shape.dtype)
    return as_seen(shape.layout, stored)


def refuse_other_law(shape):
    """Raises where PyTorch computes something else, so that times would not be of the same work.

    With a given scale it copies axes that keep their length, all but linear and nearest-exact ones in forward or
    gradient only, and nearest ones have a short cut for doubled lengths too. Nearest forwards of float64 find pixels in
    float64; on axes past 2^22 all of ours do, and PyTorch's do not.
    """
    kept = {"nearest": (1, 2), "nearest_exact": (), "linear": (), "bilinear": (), "trilinear": ()}
    factors = kept.get(shape.operation, (1,))
    lengths = list(zip(shape.input[2:], shape.output))
    if shape.scales[0] is not None and any(factor * before == after for before, after in lengths for factor in factors):
        raise RuntimeError("with such a scale it is another operator")
    if shape.operation == "nearest" and shape.has("forward") and shape.dtype == torch.float64:
        raise RuntimeError("in float64 it is another operator")
    if max(shape.input[2:] + shape.output) > 2**22:
        raise RuntimeError("on an axis as long as this it is another operator")


def resize_operator(shape):
    """For instance aten._upsample_bicubic2d_aa_backward: older ones have no underscore."""
    base, is_smoothed = shape.operation.replace("_aa", ""), shape.operation.endswith("_aa")
    name = "upsample_%s%dd%s" % (base, shape.axes, "_aa" if is_smoothed else "")
    if is_smoothed or base == "nearest_exact":
        name = "_" + name
    return getattr(torch.ops.aten, name + ("" if shape.has("forward") else "_backward"))


def resize_call(shape, tensors):
    refuse_other_law(shape)
    operator = resize_operator(shape)
    takes_align = not shape.operation.startswith("nearest")
    options = ([shape.has("align_corners")] if takes_align else []) + shape.scales
    if shape.has("forward"):
        call, image, out = operator.out, tensors["input"], empty(shape, shape.input[:2] + shape.output)
        return lambda: {"output": call(image, shape.output, *options, out=out)}
    call, grad = operator.grad_input, tensors["grad_output"]
    # Given a result with channels last, bicubic's gradient of 2.15 writes wrong values; its own are contiguous.
    out = torch.empty(shape.input, dtype=shape.dtype) if shape.operation == "bicubic" else empty(shape, shape.input)
    return lambda: {"input_grad": call(grad, shape.output, shape.input, *options, grad_input=out)}


def grid_call(shape, tensors):
    aten = torch.ops.aten
    grid = tensors["grid"]
    modes = shape.index(INTERPOLATIONS), shape.index(PADDINGS), shape.has("align_corners")
    if shape.has("forward"):
        call, image = (aten.grid_sampler_2d if shape.axes == 2 else aten.grid_sampler_3d), tensors["input"]
        return lambda: {"output": call(image, grid, *modes)}
    call = aten.grid_sampler_2d_backward if shape.axes == 2 else aten.grid_sampler_3d_backward
    # Without the grid's gradient the operator still asks for the input.
    image = tensors["input"] if "input" in tensors else empty(shape, shape.input).zero_()
    grad, mask = tensors["grad_output"], [not shape.has("grid_grad"), not shape.has("input_grad")]
    return lambda: dict(zip(("input_grad", "grid_grad"), call(grad, image, grid, *modes, mask)))


def call_of(shape, tensors):
    return (grid_call if shape.operation == "grid_sample" else resize_call)(shape, tensors)


class Peer:
    def __init__(self):
        self.call = None

    def shape(self, text):
        shape = self.described = Shape(text)
        self.places = places(shape)
        shared = mmap.mmap(SHARED_FILE, os.fstat(SHARED_FILE).st_size)
        read = {name: self.places[name] for name in ("grad_output", "grid", "input") if self.places[name].is_there}
        tensors = {name: place.view(shared, shape.dtype).clone() for name, place in read.items()}
        self.call = call_of(shape, tensors)
        return "ready"

    def threads(self, number):
        torch.set_num_threads(int(number))
        self.results = self.call()
        return "ready"

    def result(self):
        shared = mmap.mmap(SHARED_FILE, os.fstat(SHARED_FILE).st_size)
        for name, place in self.places.items():
            if name in ("input_grad", "grid_grad", "output") and place.is_there:
                place.view(shared, self.described.dtype).copy_(self.results[name])
        return "ready"

    def time(self, runs, warm_up):
        self.results = None
        call = self.call
        if int(warm_up):
            call()
        start = time.perf_counter()
        for _ in range(int(runs)):
            call()
        return "%.9g" % ((time.perf_counter() - start) / int(runs))

    def drop(self):
        self.call = self.results = None
        return "ready"


def main():
    peer = Peer()
    torch.set_grad_enabled(False)
    print("PyTorch %s" % torch.__version__, flush=True)
    for line in sys.stdin:
        command, _, rest = line.strip().partition(" ")
        arguments = [rest] if command == "shape" else rest.split()
        try:
            answer = getattr(peer, command)(*arguments)
        except (RuntimeError, NotImplementedError, AttributeError) as error:
            answer = "cannot: %s" % str(error).splitlines()[0][:200]
        print(answer, flush=True)


main()
