# SPDX-License-Identifier: Apache-2.0
"""What an installation gives: the package, the command, the aclnn interface; and what its documents show."""

import doctest
import importlib.metadata
import inspect
import os
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np
import problems
import pytest
import regrad
from regrad._library import NATIVE

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSION = re.findall(r"#define REGRAD_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", (ROOT / "include/regrad.h").read_text())
COMMAND = shutil.which("regrad", path=str(pathlib.Path(sys.executable).parent))
needs_wheel = pytest.mark.skipif(COMMAND is None, reason="the package was not installed from a wheel")


def run(*words, status=0, **options):
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60, **options)
    assert done.returncode == status, done.stderr
    return done.stdout


def test_the_version():
    assert regrad.__version__ == ".".join(VERSION)


@needs_wheel
def test_the_wheel():
    found = importlib.metadata.distribution("regrad")
    assert found.version == regrad.__version__
    needed = [r for r in found.requires if "extra ==" not in r]
    assert len(needed) == 1 and re.match(r"numpy\b", needed[0])
    tags = re.findall(r"^Tag: (.*)$", found.read_text("WHEEL"), re.MULTILINE)
    assert tags and all(re.fullmatch(r"py3-none-manylinux_\d+_\d+_\w+", tag) for tag in tags)


@needs_wheel
def test_nothing_that_only_c_needs():
    assert not [f for f in NATIVE.rglob("*") if f.suffix in (".a", ".cmake", ".pc")]
    assert (NATIVE / "lib/libregrad_python.so").exists()


@needs_wheel
def test_the_command(tmp_path):
    assert f" {regrad.__version__} " in run(COMMAND, "--version")
    assert run(sys.executable, "-m", "regrad", "--version") == run(COMMAND, "--version")
    array = np.ones((1, 1, 6), "f4")
    np.save(tmp_path / "in.npy", array)
    words = ("run", "upsample_nearest_exact1d_backward", "in.npy", "--input-size", "4", "--output", "out.npy")
    run(COMMAND, *words, cwd=tmp_path)
    assert np.load(tmp_path / "out.npy").tolist() == [[[1, 2, 1, 2]]]
    assert run(COMMAND, "nonsense", status=2) == ""


@needs_wheel
def test_the_ascend_home():
    """The interface's Python modules do not hide this package."""
    home = pathlib.Path(run(COMMAND, "ascend-home").strip())
    assert home.is_relative_to(NATIVE)
    assert [f.name for f in (home / "python/site-packages").iterdir() if f.name != "__pycache__"] == ["acl"]
    assert (home / "opp").is_dir() and (home / "include/acl/acl.h").is_file() and (home / "set_env.sh").is_file()
    assert {f.name for f in home.iterdir()} == {
        "bin", "include", "lib64", "opp", "python", "regrad-ascend-home.txt", "set_env.sh", "share",
    }  # as docs/command-line.md says  # fmt: skip
    program = "import regrad, acl; print(regrad.__version__, acl.rt.get_device_count()[1])"
    assert run(COMMAND, "exec", sys.executable, "-c", program).split() == [regrad.__version__, "0"]


@needs_wheel
@pytest.mark.parametrize("operator, arguments", [
    ("upsample_bilinear2d", (problems.random_array(1, (1, 2, 4, 5), np.dtype("f4")), (6, 3))),
    ("upsample_bicubic2d_aa", (problems.random_array(1, (1, 2, 7, 5), np.dtype("f2")), (3, 9))),
    ("upsample_trilinear3d_backward", (problems.random_array(1, (1, 2, 4, 5, 3), np.dtype("f4")), (6, 3, 3))),
    ("grid_sampler_3d", (np.ones((1, 1, 4, 4, 4), "f4"), np.full((1, 3, 3, 3, 3), 0.2, "f4"))),
    ("upsample_nearest_exact1d_backward", (problems.random_array(1, (1, 2, 6), np.dtype("f8")), (4,))),
    ("grid_sampler_2d", (np.ones((1, 1, 4, 4), "f4"), np.full((1, 3, 3, 2), 0.2, "f4"))),
])  # fmt: skip
def test_check(operator, arguments):
    found = regrad.check(operator, *arguments)
    assert found and found.ok and found.status == 0 and operator in found.report


def test_check_of_nothing():
    with pytest.raises(ValueError, match="^check: operator is 'none', wanted one of: upsample_nearest1d, "):
        regrad.check("none")


def test_all_names_have_a_description():
    for name in regrad.__all__:
        assert hasattr(regrad, name)
        assert name.startswith("__") or name == "ArrayLike" or getattr(regrad, name).__doc__


def test_types_read_as_words():
    """`help` shows names of types, which the package has."""
    assert regrad.Array is np.ndarray and regrad.ArrayLike
    for name in regrad.__all__:
        if hasattr(regrad, name) and name.startswith(("upsample", "resize", "grid")):
            signature = inspect.signature(getattr(regrad, name))
            shown = {p.name: p.annotation for p in signature.parameters.values()}
            assert "Any" not in str(signature)
            assert all("ArrayLike" in shown[k] for k in shown if k in ("input", "grad_output", "grads", "grid"))
            assert "Array" in signature.return_annotation


def test_every_resize_of_the_library_has_a_function():
    from regrad._library import RESIZES

    assert set(RESIZES) <= set(regrad.__all__)
    for name, resize in RESIZES.items():
        assert getattr(regrad, name).__name__ == name
        parameters = inspect.signature(getattr(regrad, name)).parameters
        assert ("law" in parameters) == resize.takes_law and ("input_size" in parameters) == resize.is_backward


def test_arguments_that_a_function_has_not():
    """Errors of the interpreter itself have the function's name."""
    with pytest.raises(TypeError, match=r"\(\) got an unexpected keyword argument 'law'") as raised:
        regrad.upsample_bicubic2d(np.ones((1, 1, 2, 2)), (2, 2), law="gather")
    if sys.version_info >= (3, 10):
        assert str(raised.value).startswith("upsample_bicubic2d()")


def test_modules_may_lie_elsewhere_than_what_was_compiled(tmp_path):
    """As in an editable installation, whose package has two directories."""
    modules, native = tmp_path / "source" / "regrad", tmp_path / "installed" / "regrad"
    shutil.copytree(pathlib.Path(regrad.__file__).parent, modules, ignore=shutil.ignore_patterns("native"))
    native.mkdir(parents=True)
    (native / "native").symlink_to(NATIVE)
    program = f"""
import importlib.util, sys
places = [{str(modules)!r}, {str(native)!r}]
spec = importlib.util.spec_from_file_location("regrad", places[0] + "/__init__.py", submodule_search_locations=places)
sys.modules["regrad"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sys.modules["regrad"])
import regrad
from regrad._command import PROGRAM
print(regrad.__file__ == places[0] + "/__init__.py", regrad.isa() != "", PROGRAM.parts[-3])
"""
    assert run(sys.executable, "-c", program, cwd=tmp_path).split() == ["True", "True", NATIVE.name]


def test_nothing_is_read_from_the_environment(tmp_path):
    program = "import regrad; print(regrad.__version__)"
    path = os.environ.get("PYTHONPATH")
    kept = {k: v for k, v in os.environ.items() if k in ("LD_PRELOAD", "ASAN_OPTIONS")}
    environment = {**kept, **({"PYTHONPATH": path} if path else {})}
    assert run(sys.executable, "-c", program, env=environment, cwd=tmp_path).strip() == regrad.__version__


def blocks_of_readme():
    return re.findall(r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.skipif(not blocks_of_readme(), reason="the README has no Python")
def test_the_readme(tmp_path, monkeypatch):
    """Its blocks are one program, and sessions print what they say."""
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks_of_readme():
        if ">>>" in block:
            test = doctest.DocTestParser().get_doctest(block, names, "README.md", "README.md", 0)
            assert doctest.DocTestRunner().run(test, clear_globs=False).failed == 0
            names.update(test.globs)
        else:
            exec(compile(block, "README.md", "exec"), names)
