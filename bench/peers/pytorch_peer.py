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
        scales = [word[len("scale="):].split("x") for word in self.words if word.startswith("scale=")]
        self.scales = [float(scales[0][0]), float(scales[0][-1])] if scales else [None, None]

    def index(self, names):
        found = [names.index(word) for word in self.words if word in names]
        return found[-1] if found else 0

    def has(self, word):
        return word in self.words


def storage_order(layout, sizes):
    """The sizes as they follow one another in memory."""
    return [sizes[0], sizes[2], sizes[3], sizes[1]] if layout == "NHWC" else sizes


def as_stored(layout, tensor):
    return tensor.permute(0, 2, 3, 1) if layout == "NHWC" else tensor


def as_seen(layout, tensor):
    return tensor.permute(0, 3, 1, 2) if layout == "NHWC" else tensor


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
    grid = [shape.input[0]] + shape.output + [2]
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
    last = shape.layout == "NHWC"
    return torch.empty(sizes, dtype=shape.dtype,
                       memory_format=torch.channels_last if last else torch.contiguous_format)


def forward_resize_call(shape, tensors):
    aten = torch.ops.aten
    out = empty(shape, shape.input[:2] + shape.output)
    image, output, (scale_h, scale_w) = tensors["input"], shape.output, shape.scales
    if shape.operation == "bilinear":
        call, align = aten.upsample_bilinear2d.out, shape.has("align_corners")
        return lambda: {"output": call(image, output, align, scale_h, scale_w, out=out)}
    if shape.layout == "NCL":
        call = aten._upsample_nearest_exact1d.out
        return lambda: {"output": call(image, output, scale_w, out=out)}
    call = aten._upsample_nearest_exact2d.out
    return lambda: {"output": call(image, output, scale_h, scale_w, out=out)}


def resize_call(shape, tensors):
    aten = torch.ops.aten
    out = empty(shape, shape.input)
    grad, output, inputs, (scale_h, scale_w) = tensors["grad_output"], shape.output, shape.input, shape.scales
    if shape.operation == "bilinear":
        call, align = aten.upsample_bilinear2d_backward.grad_input, shape.has("align_corners")
        return lambda: {"input_grad": call(grad, output, inputs, align, scale_h, scale_w, grad_input=out)}
    if shape.layout == "NCL":
        call = aten._upsample_nearest_exact1d_backward.grad_input
        return lambda: {"input_grad": call(grad, output, inputs, scale_w, grad_input=out)}
    call = aten._upsample_nearest_exact2d_backward.grad_input
    return lambda: {"input_grad": call(grad, output, inputs, scale_h, scale_w, grad_input=out)}


def grid_call(shape, tensors):
    call = torch.ops.aten.grid_sampler_2d_backward
    # Without the input's gradient alone the operator still asks for the input.
    image = tensors.get("input")
    if image is None:
        image = torch.zeros_like(as_seen(shape.layout, torch.empty(storage_order(shape.layout, shape.input),
                                                                   dtype=shape.dtype)))
    grad, grid = tensors["grad_output"], tensors["grid"]
    mask = [not shape.has("grid_grad"), not shape.has("input_grad")]
    modes = shape.index(INTERPOLATIONS), shape.index(PADDINGS), shape.has("align_corners")
    return lambda: dict(zip(("input_grad", "grid_grad"), call(grad, image, grid, *modes, mask)))


def forward_grid_call(shape, tensors):
    call = torch.ops.aten.grid_sampler_2d
    image, grid = tensors["input"], tensors["grid"]
    modes = shape.index(INTERPOLATIONS), shape.index(PADDINGS), shape.has("align_corners")
    return lambda: {"output": call(image, grid, *modes)}


def call_of(shape, tensors):
    makers = {False: (resize_call, grid_call), True: (forward_resize_call, forward_grid_call)}
    return makers[shape.has("forward")][shape.operation == "grid_sample"](shape, tensors)


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
