# SPDX-License-Identifier: Apache-2.0
"""regrad ascend-home: the tree of the build, its set_env.sh in every shell that is here, and --install."""
import os
import shutil
import subprocess
import sys
import unittest

from cli import REGRAD, Case

MARK = "regrad-ascend-home.txt"
VARIABLES = ["ASCEND_HOME_PATH", "ASCEND_OPP_PATH", "ASCEND_TOOLKIT_HOME", "LD_LIBRARY_PATH", "PATH", "PYTHONPATH"]
LIBRARIES = ["ascendcl", "acl_mdl", "acl_op_compiler", "acl_op_executor", "acl_rt", "acl_tdt_channel", "acl_tdt_queue",
             "aclnn_math", "aclnn_ops_infer", "aclnn_ops_train", "nnopbase", "opapi", "opapi_cv", "opapi_math"]
SHELLS = ["bash", "bash --posix", "dash", "zsh", "ksh", "mksh", "busybox sh"]


class Home(Case):
    def setUp(self):
        super().setUp()
        self.home = self.text("ascend-home").rstrip("\n")

    def install(self, directory, **options):
        return self.text("ascend-home", "--install", directory, **options)

    def refused_install(self, directory, status=2):
        return self.refused("ascend-home", "--install", directory, status=status)

    def touch(self, name):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w"):
            pass

    def everything(self):
        return sorted(os.path.join(path, name) for path, directories, files in os.walk(self.directory.name)
                      for name in directories + files)


class Tree(Home):
    def check(self, root):
        """What build scripts look for."""
        self.assertTrue(os.path.isfile(os.path.join(root, MARK)))
        architecture, = [os.path.join(root, name) for name in os.listdir(root) if name.endswith("-linux")]
        stubs = os.path.join(architecture, "devlib", "linux", os.path.basename(architecture)[:-len("-linux")])
        for directory in (root, architecture, os.path.join(root, "acllib")):
            for header in ("acl/acl.h", "aclnn/acl_meta.h", "aclnn/aclnn_base.h", "aclnnop/aclnn_ops_cv.h",
                           "aclnnop/aclnn_upsample_bilinear_2d_backward.h", "nnopbase/opdev/op_errno.h"):
                self.assertTrue(os.path.isfile(os.path.join(directory, "include", header)), (directory, header))
        for directory in (os.path.join(root, "lib64"), os.path.join(architecture, "lib64"), stubs):
            for library in LIBRARIES:
                path = os.path.join(directory, f"lib{library}.so")
                # A search for plug-ins takes regular files only.
                self.assertTrue(os.path.isfile(path) and not os.path.islink(path), path)
        for script in ("set_env.sh", "bin/setenv.bash"):
            self.assertTrue(os.path.isfile(os.path.join(root, script)))
        for module in ("__init__", "op", "rt", "util"):
            self.assertTrue(os.path.isfile(os.path.join(root, "python", "site-packages", "acl", module + ".py")))
        self.assertTrue(os.path.isdir(os.path.join(root, "opp")))
        for package in ("runtime", "opp", "toolkit"):
            with open(os.path.join(root, "share", "info", package, "version.info"), encoding="ascii") as file:
                self.assertEqual(file.read(), "Version=1.17.0\nProvider=regrad\n")

    def test_tree(self):
        self.check(self.home)
        self.assertEqual(self.home, os.path.realpath(self.home))

    def test_installed(self):
        self.assertEqual(self.install("a/b"), "")
        self.check(self.path("a/b"))
        for name in os.listdir(self.path("a/b")):
            self.assertTrue(os.path.islink(self.path("a/b/" + name)), name)
        self.assertEqual(sorted(os.listdir(self.path("a/b"))), sorted(os.listdir(self.home)))
        self.assertEqual(os.path.realpath(self.path("a/b/bin/regrad")), os.path.realpath(REGRAD))
        self.assertEqual(self.install("a/b"), "")  # again: does no harm, and mends
        os.remove(self.path("a/b/include"))
        self.install(self.path("a/b/../b/"))
        self.check(self.path("a/b"))

    def test_program_without_a_tree(self):
        shutil.copy(REGRAD, self.path("regrad"))
        done = subprocess.run([self.path("regrad"), "ascend-home"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env={**os.environ, "LD_LIBRARY_PATH": os.path.join(os.path.dirname(REGRAD), "..", "src")})
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b"no tree in the vendor's layout belongs to the program here", done.stderr)

    def test_usage(self):
        self.assertEqual(self.refused("ascend-home", "x"), "ascend-home: takes no words, and 'x' is given")
        self.assertEqual(self.refused_install(""), "--install is ''; wanted a directory")


class Refusals(Home):
    def test_a_real_stack(self):
        for library, directory in [
            ("Ascend/ascend-toolkit/8.1/x86_64-linux/lib64/libascendcl.so", "Ascend/ascend-toolkit/latest"),
            ("driver/Ascend/driver/lib64/driver/libascend_hal.so", "driver/Ascend/cann"),
            ("driver/Ascend/driver/lib64/driver/libascend_hal.so", "driver/Ascend"),
            ("other/lib64/libnnopbase.so", "other"), ("deep/runtime/lib64/libacl_rt.so", "deep/"),
        ]:
            self.touch(library)
            before = self.everything()
            message = self.refused_install(directory)
            self.assertEqual(message, f"ascend-home: {self.path(directory).rstrip('/')}: a real stack is there "
                             f"({self.path(library)}); nothing was changed")
            self.assertEqual(self.everything(), before)

    def test_a_real_stack_behind_a_link(self):
        self.touch("disk/driver/lib64/libascend_hal.so")
        os.makedirs(self.path("Ascend"))
        os.symlink("../disk/driver", self.path("Ascend/driver"))
        self.assertEqual(self.refused_install("Ascend/cann"), f"ascend-home: {self.path('Ascend/cann')}: a real stack "
                         f"is there ({self.path('Ascend/driver/lib64/libascend_hal.so')}); nothing was changed")

    def test_no_real_stack(self):
        """A tree of ours beside it is none, nor is what lies outside of the directory named Ascend."""
        self.touch("toolkit/lib64/libascendcl.so")
        self.install("Ascend/ascend-toolkit/latest")
        self.install("Ascend/cann")
        self.assertEqual(sorted(os.listdir(self.path("Ascend"))), ["ascend-toolkit", "cann"])

    def test_what_is_there_already(self):
        self.touch("full/file")
        self.touch("copy/" + MARK)
        self.touch("file/file")
        for directory, entry in [("full", "file"), ("copy", MARK)]:
            self.assertEqual(self.refused_install(directory), f"ascend-home: {self.path(directory)}: holds '{entry}', "
                             "which this command has not made; wanted a directory that is not there yet, is empty, or "
                             "was made by it")
        self.assertRegex(self.refused_install("file/file", status=3), "file/file: cannot be read: Not a directory")
        self.assertRegex(self.refused_install("file/file/x", status=3), "cannot be found: Not a directory")
        self.assertRegex(self.refused_install("nowhere/../full/x", status=3), "cannot be found: No such file")
        self.install("link/to") # what is empty is taken
        os.makedirs(self.path("empty"))
        self.install("empty")

    def test_the_tree_itself(self):
        for directory in (self.home, os.path.join(self.home, "bin"), os.path.join(self.home, "new"),
                          os.path.dirname(self.home), "/"):
            self.assertEqual(self.refused_install(directory), f"ascend-home: {os.path.realpath(directory)}: is, or "
                             f"lies in, or holds the tree itself, {self.home}")


class Environment(Home):
    def source(self, shell, script, before=None, directory="/", then=""):
        """The variables after the script has been read, by a shell that stops at errors and at variables not set."""
        words = [*shell.split(), "-euc", script + "\n" + then + "\nenv"]
        environment = {"PATH": "/usr/bin:/bin", **(before or {})}
        done = subprocess.run(words, env=environment, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""), (shell, script))
        variables = dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)
        self.assertEqual([name for name in variables if "regrad" in name and name not in ("_", "OLDPWD", "PWD")], [])
        return [variables.get(name) for name in VARIABLES]

    def wanted(self, root, path="/usr/bin:/bin", libraries="", packages=""):
        return [root, root + "/opp", root, root + "/lib64" + libraries, root + "/bin:" + path,
                root + "/python/site-packages" + packages]

    def test_shells(self):
        root = self.path("a tree")
        self.install(root)
        n_shells = 0
        for shell in SHELLS:
            if not shutil.which(shell.split()[0]):
                continue
            n_shells += 1
            # Other shells only know the file behind the links.
            own = root if shell.split()[0] in ("bash", "zsh", "ksh") else self.home
            for script in ("set_env.sh", "bin/setenv.bash"):
                once = f". '{self.home}/{script}'"
                self.assertEqual(self.source(shell, once), self.wanted(self.home))
                self.assertEqual(self.source(shell, once + "\n" + once), self.wanted(self.home))
                self.assertEqual(self.source(shell, f". '{root}/{script}'"), self.wanted(own))
                self.assertEqual(self.source(shell, f"f() {{ . './{script}'; }}; f", directory=root), self.wanted(own))
            self.assertEqual(self.source(shell, f"cd '{root}/bin'; . ./setenv.bash"), self.wanted(own))
            self.assertEqual(self.source(shell, once, {"CDPATH": "/usr:/"}), self.wanted(self.home))
        self.assertGreaterEqual(n_shells, 2)

    def test_lists_do_not_grow(self):
        lib64, programs = self.home + "/lib64", self.home + "/bin"
        for shell in ("bash", "sh"):
            for before, after in [("", ""), ("/x", ":/x"), (f"/x:{lib64}:/y", ":/x:/y"), (f"{lib64}:{lib64}", ""),
                                  (f"/x:{lib64}", ":/x"), (f"{lib64}/more:/a b", f":{lib64}/more:/a b")]:
                got = self.source(shell, f". {self.home}/set_env.sh\n. {self.home}/set_env.sh",
                                  {"LD_LIBRARY_PATH": before, "PATH": f"/usr/bin:{programs}:/bin"})
                self.assertEqual(got, self.wanted(self.home, libraries=after))

    def test_module_is_found(self):
        packages = self.home + "/python/site-packages"
        find = 'from importlib.util import find_spec; print(find_spec("acl").origin)'
        ask = f"{sys.executable} -B -c '{find}' | grep -Fqx \"$PYTHONPATH/acl/__init__.py\""
        for shell in ("bash", "sh"):
            self.assertEqual(self.source(shell, f". {self.home}/set_env.sh", then=ask), self.wanted(self.home))
            got = self.source(shell, f". {self.home}/set_env.sh", {"PYTHONPATH": f"/x:{packages}:/y"})
            self.assertEqual(got, self.wanted(self.home, packages=":/x:/y"))

    def test_program_is_found(self):
        for shell in ("bash", "sh"):
            got = self.source(shell, f". {self.home}/set_env.sh",
                              then='test "$(regrad ascend-home)" = "$ASCEND_HOME_PATH"')
            self.assertEqual(got, self.wanted(self.home))


if __name__ == "__main__":
    unittest.main()
