"""The package as it is installed: its example, its types, its metadata."""

import importlib.metadata
import inspect
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
import typing
import unittest

import holdadvise
from holdadvise import _advice

from . import ROOT

README = ROOT / "python" / "README.md"


class Package(unittest.TestCase):
    maxDiff = 4000

    def test_the_example_prints_what_is_beside_it(self):
        for page in (README, ROOT / "docs" / "using" / "python.md"):
            blocks = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", page.read_text(), re.S)
            self.assertTrue(blocks, page)
            for program, expected in blocks:
                done = run([sys.executable, "-W", "error", "-c", program])
                self.assertEqual((done.stdout, done.stderr), (expected, ""))

    def test_it_is_the_one_that_is_installed(self):
        folder = pathlib.Path(holdadvise.__file__).parent
        self.assertNotIn(ROOT / "python", folder.parents)
        self.assertTrue((folder / "py.typed").is_file())
        metadata = importlib.metadata.metadata("holdadvise")
        self.assertEqual(metadata["Version"], holdadvise.__version__)
        self.assertEqual(metadata["License-Expression"], "Apache-2.0")
        self.assertIn("# holdadvise", metadata["Description"] or metadata.get_payload())
        self.assertIsNone(metadata.get_all("Requires-Dist"))

    def test_names_are_public_and_described(self):
        for name in holdadvise.__all__:
            thing = getattr(holdadvise, name)
            if isinstance(thing, type):
                self.assertEqual(thing.__module__, "holdadvise", name)
            if name != "__version__":
                self.assertTrue(inspect.getdoc(thing), name)

    def test_words_are_those_of_the_schema(self):
        schema = json.loads((ROOT / "schemas" / "advice.json").read_text())
        for name in ("Recommendation", "Action", "EventLogView"):
            words = [each["const"] for each in schema["$defs"][name]["oneOf"]]
            self.assertEqual(typing.get_args(getattr(_advice, name)), tuple(words))
        words = [each["const"] for each in schema["$defs"]["Band"]["oneOf"]]
        self.assertEqual(typing.get_args(_advice.Band), (*words, "not known"))

    def test_types(self):
        try:
            import mypy  # noqa: F401
        except ImportError:
            self.skipTest("mypy is not there")
        program = ROOT / "python" / "tests" / "typed.py"
        with tempfile.TemporaryDirectory() as cache:
            options = ["--strict", "--cache-dir", cache]
            for what in ([str(program)], ["--package", "holdadvise"]):
                done = run([sys.executable, "-m", "mypy", *options, *what])
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            wrong = pathlib.Path(cache) / "wrong.py"
            wrong.write_text(
                textwrap.dedent(
                    "import holdadvise\nholdadvise.advise(cost=3)\nx: int = holdadvise.lint('a')\n"
                )
            )
            self.assertEqual(
                run([sys.executable, "-m", "mypy", *options, str(wrong)]).stdout.count("error:"), 2
            )
        self.assertEqual(run([sys.executable, str(program)]).stderr, "")

    def test_types_as_pyright_sees_them(self):
        try:
            import pyright  # noqa: F401
        except ImportError:
            self.skipTest("pyright is not there")
        check = [sys.executable, "-m", "pyright"]
        for what in (["python/tests/typed.py"], ["--verifytypes", "holdadvise"]):
            done = run([*check, *what])
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with tempfile.TemporaryDirectory() as folder:
            wrong = pathlib.Path(folder) / "wrong.py"
            wrong.write_text("import holdadvise\nholdadvise.advise(cost=3).text.no_such_name\n")
            done = run([*check, str(wrong)])
            self.assertEqual(done.stdout.count(" - error: "), 2, done.stdout)

    def test_stubs_are_what_runs(self):
        try:
            import mypy  # noqa: F401
        except ImportError:
            self.skipTest("mypy is not there")
        done = run([sys.executable, "-m", "mypy.stubtest", "holdadvise._native"])
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


def run(command):
    # There pyright looks for the interpreter whose packages it reads.
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", "")])
    environment = {**os.environ, "TZ": "UTC", "PATH": path}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
