# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# Run by python.sh. What is expected is what the command itself prints: its tables as CSV, its run objects, its words.
import io
import os
import subprocess
import unittest

import pandas
import weir

PROGRAMS, SCHEMES = ["nn", "backprop"], ["lru", "pcbp,threshold=6"]


def said(*words):
    return subprocess.run([os.environ["WEIR"], *words], capture_output=True, text=True).stdout


class Package(unittest.TestCase):
    def test_compare_and_store(self):
        t = weir.compare(PROGRAMS, SCHEMES, chip="fermi-gtx480", set={"l1.size_kib": 32, "l1.census": True})
        csv = pandas.read_csv(io.StringIO(said("compare", *PROGRAMS, *(f"--scheme={s}" for s in SCHEMES), "--csv",
                                               "--chip=fermi-gtx480", "--set=l1.size_kib=32", "--set=l1.census=true")))
        csv = csv[csv.program.isin(PROGRAMS)].reset_index(drop=True)
        self.assertEqual(list(t.program), list(csv.program))
        self.assertEqual(list(t.cycles), list(csv.cycles))
        for mine, theirs in zip(t.speedup, csv.speedup):
            self.assertAlmostEqual(mine, theirs, places=3)
        self.assertEqual([r["set"] for r in t.attrs["runs"]], [["l1.size_kib=32", "l1.census=true"]] * 4)
        self.assertEqual(list(t["l1.loads.hits"]), [r["total"]["l1"]["loads"]["hits"] for r in t.attrs["runs"]])

        kept = weir.store(where="scheme = 'lru'")
        self.assertEqual(sorted(kept.cycles), sorted(t[t.scheme == "lru"].cycles))
        whole = pandas.read_csv(io.StringIO(said("store", "export", "--csv")))
        self.assertEqual(list(weir.store().key), list(whole.key))
        self.assertEqual(weir.sql("SELECT count(*) AS n FROM runs WHERE seed = ?", parameters=(1,)).n[0], 4)
        with self.assertRaisesRegex(weir.Error, "no such column"):
            weir.store(where="nonsense = 1")

    def test_run(self):
        r = weir.run("nn", scheme="srrip", no_store=None, seed=2)
        self.assertEqual((r["program"], r["scheme"], r["seed"], r["check"]), ("nn", "srrip", 2, "passed"))
        self.assertEqual(weir.run("nn")["scheme"], "none")
        self.assertEqual(list(weir.loads(r).executions), [x["executions"] for x in r["loads"]])
        self.assertEqual(list(weir.kernels(r)["l1.loads.hits"]), [k["l1"]["loads"]["hits"] for k in r["kernels"]])

    def test_refusals(self):
        with self.assertRaisesRegex(weir.Error, "did you mean"):
            weir.run("nn", chip="fermi-gtx48")
        with self.assertRaisesRegex(weir.Error, "unknown option '--sede'; did you mean '--seed'"):
            weir.run("nn", sede=1)
        with self.assertRaisesRegex(weir.Error, "there is no store"):
            weir.store("nowhere.sqlite")
        os.environ["WEIR"], known = "/nowhere/weir", os.environ["WEIR"]
        with self.assertRaisesRegex(weir.Error, "No such file"):
            weir.run("nn")
        os.environ["WEIR"] = known


unittest.main()
