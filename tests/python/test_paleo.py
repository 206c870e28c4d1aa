"""The package paleo: its numbers are the program's, its errors the library's sentences, its examples run."""
# SPDX-License-Identifier: Apache-2.0
import gc
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import paleo
from paleo import _library

PYTHON = os.environ["PALEO_PYTHON"]  # the folder python/ of the sources


def program(*words):
    said = subprocess.run(["paleo", *words], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in said.stdout.splitlines()]


class Model(unittest.TestCase):
    def test_rows_are_those_of_the_program(self):
        """Each field of struct paleo_predicted_row, to the last bit: the layout of the structs is right."""
        theirs = program("predict", "nin", "--device", "t4", "--batch", "2", "--format", "jsonl")
        ours = paleo.predict("nin", "t4", batch=2).rows
        self.assertEqual(len(ours), len(theirs))
        for mine, row in zip(ours, theirs):
            for name in ("net", "batch", "layer", "kind", "pass", "dtype", "op", "bound", "source"):
                self.assertEqual(mine[name], row[name])
            for name, of_program in (
                ("flops", "flops"),
                ("bytes", "bytes"),
                ("total_s", "predicted_s"),
                ("low_s", "predicted_low_s"),
                ("high_s", "predicted_high_s"),
                ("low50_s", "predicted_low50_s"),
                ("high50_s", "predicted_high50_s"),
            ):
                self.assertEqual(mine[name], row[of_program], f"{mine['layer']} {name}")

    def test_dtype_is_the_net_s_own(self):
        name = "qwen3-0.6b:decode,past=64"
        theirs = program("predict", name, "--device", "h200", "--format", "jsonl")
        net = paleo.load(name)
        self.assertEqual((net.dtype, paleo.load("nin").dtype), ("bf16", "f32"))
        ours = paleo.predict(net, "h200").rows
        self.assertEqual([row["total_s"] for row in ours], [row["predicted_s"] for row in theirs])
        train = paleo.load("qwen3-0.6b:train,seq=64")
        (step,) = program("simulate", "qwen3-0.6b:train,seq=64", "--device", "h200", "--workers", "2", "--scaling",
                          "weak", "--strategy", "data", "--format", "jsonl")
        self.assertEqual(paleo.simulate(train, "h200", workers=2)["memory_bytes"], step["memory_bytes"])

    def test_totals_are_sums(self):
        prediction = paleo.predict("nin", "t4", batch=2)
        seconds = sum(row["total_s"] for row in prediction.rows)
        step = prediction.totals["step"]
        self.assertAlmostEqual(step["total_s"], seconds, delta=1e-9 * seconds)
        self.assertEqual(step["rows"], len(prediction.rows))
        self.assertEqual(step["predicted"], len(prediction.rows))
        forward = paleo.predict("nin", "t4", batch=2, passes="fwd")
        self.assertEqual(list(forward.totals), ["forward"])

    def test_options_are_given_on(self):
        """Peaks at half their speed: compute and memory take twice as long, overhead does not."""
        whole = paleo.predict("nin", "t4", batch=2, cost_model="datasheet").rows[0]
        half = paleo.predict("nin", "t4", batch=2, ppp_compute=0.5, ppp_memory=0.5).rows[0]
        self.assertAlmostEqual(half["compute_s"] / whole["compute_s"], 2)
        self.assertAlmostEqual(half["memory_s"] / whole["memory_s"], 2)
        self.assertIn("datasheet", whole["source"])
        nhwc = paleo.predict("nin", "t4", batch=2, layout="nhwc", dtype="f16", passes="fwd", fuse=True)
        self.assertEqual({row["dtype"] for row in nhwc.rows}, {"f16"})
        self.assertNotIn("relu", {row["kind"] for row in nhwc.rows})

    def test_net(self):
        net = paleo.load("vgg16", batch=3)
        self.assertEqual((net.name, net.batch), ("vgg16", 3))
        # 13 convolutions and three products of VGG-16, as its paper says: 138 million
        self.assertEqual(net.weights, 138357544)
        self.assertEqual(net.layers[1], ("conv1-1", "Convolution"))
        again = net.with_batch(7)
        self.assertEqual((again.batch, net.batch), (7, 3))
        del net
        gc.collect()
        self.assertEqual(again.layers[1][0], "conv1-1")

    def test_device(self):
        t4 = paleo.device("Tesla T4")
        self.assertEqual(t4.name, "t4")
        self.assertEqual(t4.peak_flop_per_s["f16"], 65e12)
        self.assertNotIn("fp8", t4.peak_flop_per_s)
        self.assertNotIn("fp4", t4.peak_flop_per_s)
        self.assertEqual(paleo.device("b200").peak_flop_per_s["fp4"], 9e15)
        self.assertEqual(t4.peak_flop_per_s["int8"], 130e12)
        self.assertIn("t4", paleo.devices())

    def test_simulate(self):
        """Ring all-reduce between two workers moves 2 (n - 1) / n = once the gradients' bytes."""
        one = paleo.simulate("nin", "t4", batch=32)
        two = paleo.simulate("nin", "t4", batch=32, workers=2, link="ethernet")
        self.assertEqual(one["comm_s"], 0)
        self.assertEqual(two["fwd_s"], one["fwd_s"])
        self.assertAlmostEqual(two["step_s"], one["step_s"] + two["exposed_s"])
        self.assertGreater(two["speedup"], 1)
        with self.assertRaisesRegex(TypeError, "'colour'"):
            paleo.simulate("nin", "t4", colour=1)

    def test_sentences(self):
        for call, sentence in (
            (lambda: paleo.load("vgg17"), "did you mean 'vgg16'"),
            (lambda: paleo.device("h101"), "h10"),
            (lambda: paleo.predict("nin", "t4", dtype="f99"), "expected one of f32"),
            (lambda: paleo.predict("nin", "t4", passes="bwd", fuse=True), "'fwd'"),
        ):
            with self.assertRaisesRegex(paleo.PaleoError, sentence) as caught:
                call()
            self.assertEqual(caught.exception.status, -1)

    def test_arguments_are_not_bent(self):
        """Whole numbers modulo 2^32, names up to a NUL, and numbers as addresses of names are what C would take."""
        net = paleo.load("nin")
        for call, error, sentence in (
            (lambda: paleo.predict("nin", "t4", batch=2**32), ValueError, "batch is 4294967296, expected"),
            (lambda: paleo.load("nin", 2**32), ValueError, "batch is"),
            (lambda: net.with_batch(2**32 + 2), ValueError, "batch is"),
            (lambda: net.with_batch(0), ValueError, "from 1"),
            (lambda: paleo.predict("nin", "t4", batch=-1), ValueError, "batch is -1"),
            (lambda: paleo.predict("nin", "t4", batch=1.5), TypeError, "integer"),
            (lambda: paleo.predict("nin", "t4", passes="fwd", fuse=2**32), ValueError, "fuse is"),
            (lambda: paleo.simulate("nin", "t4", workers=0), ValueError, "workers is 0, expected .* from 1"),
            (lambda: paleo.simulate("nin", "t4", workers=2**32 + 1), ValueError, "workers is"),
            (lambda: paleo.simulate("nin", "t4", workers=2, workers_per_node=2**32), ValueError, "per_node is"),
            (lambda: paleo.simulate("nin", "t4", workers=2, link=3), TypeError, "not int"),
            (lambda: paleo.load("nin\0.json"), ValueError, "NUL"),
            (lambda: paleo.device("t4\0"), ValueError, "NUL"),
            (lambda: paleo.predict("nin", "t4", dtype="f32\0x"), ValueError, "NUL"),
            (lambda: paleo.load(b"nin"), TypeError, "not bytes"),
            (lambda: paleo.device(b"t4"), TypeError, "not bytes"),
            (lambda: paleo.predict("nin", 3), TypeError, "not int"),
            (lambda: paleo.profile("nin", device=b"fake"), TypeError, "not bytes"),
        ):
            with self.assertRaisesRegex(error, sentence):
                call()

    def test_damaged_preset(self):
        """As tests/golden/presets-damaged.t, through libpaleo."""
        with tempfile.TemporaryDirectory() as folder:
            presets = os.path.join(folder, "results", "presets")
            shutil.copytree(os.path.join(PYTHON, "..", "results", "presets"), presets)
            os.truncate(os.path.join(presets, "t4.json"), 30000)
            with mock.patch.dict(os.environ, {"PALEO_DATA_DIR": folder}):
                with self.assertRaisesRegex(paleo.PaleoError, r"presets/t4\.json:\d+:\d+: "):
                    paleo.predict(os.path.join(PYTHON, "..", "nets", "nin.json"), "t4")

    def test_library_not_found(self):
        with mock.patch.object(_library, "_loaded", []):
            with mock.patch.dict(os.environ, {"PALEO_LIBRARY": "/none/libpaleo.so.0"}):
                with self.assertRaisesRegex(paleo.PaleoError, "set PALEO_LIBRARY"):
                    paleo.version()

    def test_library_of_another_version(self):
        with mock.patch.object(_library, "_loaded", []), mock.patch.object(_library, "HEADERS", "9.9"):
            with self.assertRaisesRegex(paleo.PaleoError, "this package is for 9.9"):
                paleo.version()

    def test_version_of_the_package(self):
        with open(os.path.join(PYTHON, "pyproject.toml"), encoding="utf-8") as file:
            self.assertIn(f'version = "{paleo.version()}"', file.read())


class Program(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def test_profile(self):
        measured = paleo.profile("nin", device="fake", batch=2, folder=self.folder.name)
        self.assertTrue(measured.complete)
        self.assertEqual(len(measured.rows), len(paleo.predict("nin", "t4", batch=2).rows))
        self.assertTrue(all(row["measured_s"] > 0 for row in measured.rows))
        self.assertIn("ops measured", measured.notes)
        self.assertEqual(os.listdir(self.folder.name), ["paleo-results"])

    def test_sentences(self):
        with self.assertRaisesRegex(paleo.PaleoError, "expected auto"):
            paleo.profile("nin", device="nonsense", folder=self.folder.name)
        with mock.patch.dict(os.environ, {"PATH": "/none"}):
            with self.assertRaisesRegex(paleo.PaleoError, "into PATH"):
                paleo.profile("nin")

    def test_frame(self):
        rows = paleo.predict("nin", "t4", batch=2, passes="fwd").rows
        try:
            import pandas
        except ImportError:
            with self.assertRaisesRegex(ImportError, "pip install pandas"):
                rows.frame()
            return
        frame = rows.frame()
        self.assertIsInstance(frame, pandas.DataFrame)
        self.assertEqual(len(frame), len(rows))
        self.assertEqual(frame["total_s"][3], rows[3]["total_s"])

    def test_sum_by(self):
        rows = paleo.Rows([{"k": "a", "s": 1.0}, {"k": "b", "s": 5.0}, {"k": "a", "s": 2.0}, {"k": "b", "s": None}])
        self.assertEqual(list(rows.sum_by("k", "s").items()), [("b", 5.0), ("a", 3.0)])


class Examples(unittest.TestCase):
    """What docs/guide/python.md shows is what the examples print; PALEO_UPDATE_GOLDEN=1 rewrites it."""

    def test_guide(self):
        guide = os.path.join(PYTHON, "..", "docs", "guide", "python.md")
        with open(guide, encoding="utf-8") as file:
            text = file.read()
        for name in ("step", "where", "batches", "workers"):
            said = subprocess.run(
                [sys.executable, os.path.join(PYTHON, "examples", name + ".py")],
                capture_output=True,
                text=True,
                check=True,
            ).stdout
            shown = re.search(rf"`{name}\.py`[^`]*```\n(.*?)```", text, re.S)
            if os.environ.get("PALEO_UPDATE_GOLDEN"):
                text = text[: shown.start(1)] + said + text[shown.end(1) :]
                with open(guide, "w", encoding="utf-8") as file:
                    file.write(text)
            else:
                self.assertEqual(shown.group(1), said, name)

    def test_measure(self):
        with tempfile.TemporaryDirectory() as folder:
            said = subprocess.run(
                [sys.executable, os.path.join(PYTHON, "examples", "measure.py"), "device=fake", "batch=2"],
                capture_output=True,
                text=True,
                check=True,
                cwd=folder,
            )
        self.assertRegex(said.stdout, r"(?s)(.*predicted .* us, measured .* us\n){5}.*83 of 83 rows measured")


if __name__ == "__main__":
    unittest.main()
