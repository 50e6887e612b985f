#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

"""killed.py WEIR [SEED]: whatever happens to a sweep, what it has finished is kept, nothing is made twice, and the end is that of a sweep
to which nothing happened, to the bit. It is killed at random moments by SIGKILL or SIGTERM, its disk is full, its store can only be read, and
two sweeps run into one store at once. With WEIR_TEST_ALL set the moments are 100 in place of 3, one of the two sweeps is killed, too, and
a disk is full that is really one, where the system lets a file system be mounted. SEED decides the moments."""

import csv
import io
import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

weir = os.path.abspath(sys.argv[1])
seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
every = "WEIR_TEST_ALL" in os.environ
moments = 100 if every else 3
folder = tempfile.mkdtemp(prefix="weir-killed-")
draw = random.Random(seed)
os.chmod(folder, 0o755)

programs = ["chase", "strides"] if every else ["chase"]
SWEEP = f"programs: {programs}\nschemes: [lru, fifo, {{scheme: pcbp, threshold: 4|6}}, 'swl,warps=best:4|8']\nseeds: 1..2\n"
EXPERIMENTS, RUNS = 10 * len(programs), 12 * len(programs)  # 5 schemes x 2 seeds; swl has two runs
file = os.path.join(folder, "sweep.yaml")
with open(file, "w") as f:
    f.write(SWEEP)


def path(name):
    return os.path.join(folder, name)


def start(store, jobs, before=None):
    return subprocess.Popen([weir, "sweep", file, "--csv", "--jobs", str(jobs), "--store", store], text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, preexec_fn=before)


def end(process):
    out, err = process.communicate()
    return process.returncode, out, err


def kept(store):
    """The runs of a store by their key: the object as it was stored, and a sum of it that a second run would change (it has seconds)."""
    if not os.path.exists(store):
        return {}
    db = sqlite3.connect(store)
    try:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        if not db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'objects'").fetchone():
            return {}
        rows = {key: (run, total) for key, run, total in db.execute("SELECT key, run, sum FROM objects")}
        assert {key for key, in db.execute("SELECT key FROM runs")} == set(rows)
        return rows
    finally:
        db.close()


def results(rows):
    """The same without what each run of the same experiment has of its own."""
    def without_host(text):
        run = json.loads(text)
        del run["host"]
        return run
    return {key: without_host(run) for key, (run, _) in rows.items()}


def made(err):
    """How many runs a sweep says that it has made itself."""
    line = [line for line in err.splitlines() if "experiments done" in line][-1].split()
    return int(line[line.index("runs,") - 1]) - int(line[line.index("kept") - 3])


def nothing_lost(before, after):
    for key, row in before.items():
        assert after.get(key) == row, "a finished run is lost, or was made again"


def whole(store, out, what):
    rows = kept(store)
    assert results(rows) == expected, f"{what}: results differ"
    assert out == table, f"{what}: the table differs"
    left = [name for name in os.listdir(os.path.dirname(store)) if name.startswith(os.path.basename(store) + "-")]
    assert not left, f"{what}: left behind {left}"


def without_notes(out):
    return list(csv.reader(io.StringIO(out)))


# ---- what it ends with when nothing happens -----------------------------------------------------------------------------------

began = time.monotonic()
status, table, err = end(start(path("whole.sqlite"), 2))
seconds = time.monotonic() - began
assert status == 0, err
expected = results(kept(path("whole.sqlite")))
assert len(expected) == RUNS == made(err) and len(without_notes(table)) == EXPERIMENTS + 1

# ---- killed -------------------------------------------------------------------------------------------------------------------

kills = ends = stores = 0
while kills < moments or ends < stores:
    store = path(f"killed-{stores}.sqlite")
    stores += 1
    while True:
        before = kept(store)
        process = start(store, 2)
        how = draw.choice([signal.SIGKILL, signal.SIGTERM]) if kills < moments else None
        if how:
            try:
                process.wait(draw.uniform(0, seconds))
            except subprocess.TimeoutExpired:
                process.send_signal(how)
        status, out, err = end(process)
        after = kept(store)
        nothing_lost(before, after)
        kills += how is not None
        if status == 0:
            assert made(err) == RUNS - len(before)
            whole(store, out, f"killed {kills} times")
            ends += 1
            break
        assert how and status in (-how, 130, 143), (status, err)
print(f"{kills} moments, {stores} stores, seed {seed}")

# ---- two at once --------------------------------------------------------------------------------------------------------------

for trial in range(max(1, moments // 10)):
    store = path(f"two-{trial}.sqlite")
    first, second = start(store, 1), start(store, 1)
    (status, out, err), (second_status, second_out, second_err) = end(first), end(second)
    assert status == second_status == 0, err + second_err
    assert made(err) + made(second_err) == RUNS, "two sweeps made a run twice"
    whole(store, out, "two sweeps")
    assert second_out == table
    if not every:
        continue
    store = path(f"one-{trial}.sqlite")
    first, second = start(store, 1), start(store, 1)
    time.sleep(draw.uniform(0, seconds))
    first.kill()
    end(first)
    before = kept(store)
    status, out, err = end(second)
    assert status == 0, err
    nothing_lost(before, kept(store))
    whole(store, out, "one of two killed")

# ---- the disk is full ------------------------------------------------------------------------------------------------------------


def little_room():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # writing then fails, as on a full disk
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))


def fills_up(store, before, what):
    status, out, err = end(start(store, 2, before))
    assert status == 2 and "results cannot be stored" in err, (status, err)
    rows = kept(store)
    assert 0 < len(rows) < RUNS, f"{what}: {len(rows)} runs"
    return rows


store = path("full.sqlite")
rows = fills_up(store, little_room, "no file may grow")
status, out, err = end(start(store, 2))
assert status == 0 and made(err) == RUNS - len(rows), err
nothing_lost(rows, kept(store))
whole(store, out, "a full disk")

small = path("small")
os.mkdir(small)
if every and not subprocess.run(["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", small], stderr=subprocess.DEVNULL).returncode:
    try:
        rows = fills_up(os.path.join(small, "s.sqlite"), None, "a small disk")
        shutil.copytree(small, path("larger"))  # with what SQLite could not yet move into the file
    finally:
        subprocess.run(["umount", small], check=True)
    store = os.path.join(path("larger"), "s.sqlite")
    status, out, err = end(start(store, 2))
    assert status == 0 and made(err) == RUNS - len(rows), err
    nothing_lost(rows, kept(store))
    whole(store, out, "a small disk")
elif every:
    print("no file system may be mounted here: the full disk is one whose files may not grow")

# ---- a store that can only be read -------------------------------------------------------------------------------------------------


def nobody():
    if os.getuid() == 0:
        os.setuid(65534)


shut = path("shut")
os.mkdir(shut)
store = os.path.join(shut, "s.sqlite")
process = start(store, 2)
while len(kept(store) if os.path.exists(store) else {}) < 5 and process.poll() is None:
    time.sleep(0.01)
process.kill()
end(process)
rows = kept(store)
os.chmod(store, 0o444)
os.chmod(shut, 0o555)
status, out, err = end(start(store, 2, nobody))
assert status == 0 and made(err) == RUNS - len(rows), (status, err)
assert "can only be read: new results are not kept" in err or len(rows) == RUNS, err
assert out == table and kept(store) == rows
os.chmod(shut, 0o755)

shutil.rmtree(folder)
