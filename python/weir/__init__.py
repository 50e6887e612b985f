# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

"""weir's runs and results as pandas data frames.

    import weir
    t = weir.compare(["bfs", "spmv"], ["lru", "pcbp"], chip="gcn-apu")
    t.pivot(index="program", columns="scheme", values="speedup")
    weir.loads(weir.run("spmv", scheme="pcbp"))        # a row per load instruction
    weir.store(where="chip = 'gcn-apu'")               # what was kept of former runs

Everything is done by the command `weir`: $WEIR, or the one on PATH. Its options are keyword arguments: `size="paper"` is
--size=paper, `no_store=True` is --no-store, a list repeats the option, and so does a dictionary with KEY=VALUE, as in
`set={"l1.size_kib": 32}`. What weir refuses is raised as weir.Error with weir's own words.
"""

import json
import os
import sqlite3
import subprocess

import pandas


class Error(Exception):
    """weir refused, or could not be started; the text is weir's."""


def _words(options):
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            yield flag
        elif isinstance(value, dict):
            yield from (f"{flag}={key}={_text(v)}" for key, v in value.items())
        elif isinstance(value, (list, tuple)):
            yield from (f"{flag}={_text(v)}" for v in value)
        else:
            yield f"{flag}={_text(value)}"


def _text(value):
    return str(value).lower() if isinstance(value, bool) else os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def _call(command, arguments, options, program=None):
    words = [os.environ.get("WEIR", "weir"), command, "--json", *_words(options), *map(_text, arguments)]
    if program is not None:
        words += ["--", *map(_text, program)]
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    except OSError as e:
        raise Error(f"{words[0]}: {e.strerror}; install weir, or have $WEIR name it") from None
    try:
        return json.loads(done.stdout)
    except ValueError:  # an exit status of 1 with an object says that results are wrong, which `check` says too
        raise Error(done.stderr.strip() or f"{' '.join(words)} ended with {done.returncode}") from None


def run(program, **options):
    """The run object (docs/OUTPUT.md) of a workload or launch file, as a dictionary. A list is the command line of a program of
    its own, as behind --: the result is then a list, with a run object for each process that used a device."""
    if isinstance(program, (list, tuple)):
        return _call("run", [], options, program)
    return _call("run", [program], options)


def compare(programs, schemes, **options):
    """A row per program and scheme: `program`, `size`, `chip`, `scheme`, `seed`, `check`, `speedup` over the first scheme,
    `l1_hit_rate` of the loads in the cache nearest the cores (None without loads), and every counter of `total` by its name in
    docs/OUTPUT.md (`cycles`, `l1.loads.hits`, ...). `programs` is a name, a list of names, or {"command": [...]} for a program of
    its own. The run objects are in `.attrs["runs"]`."""
    options["scheme"] = [schemes] if isinstance(schemes, str) else list(schemes)
    if isinstance(programs, dict):
        runs = _call("compare", [], options, programs["command"])
    else:
        runs = _call("compare", [programs] if isinstance(programs, str) else programs, options)
    table = pandas.DataFrame([_row(r) for r in runs])
    base = table.groupby("program", sort=False)["cycles"].transform("first")
    table.insert(6, "speedup", base / table["cycles"])
    table.attrs["runs"] = runs
    return table


def _row(r):
    row = {name: r[name] for name in ("program", "size", "chip", "scheme", "seed", "check")}
    caches = [c for c in r["total"].values() if isinstance(c, dict) and "loads" in c]  # the first is nearest the cores
    loads = caches[0]["loads"] if caches else {"accesses": 0}
    found = loads["accesses"] and (loads["hits"] + loads["hits_on_miss"]) / loads["accesses"]
    row["l1_hit_rate"] = found if loads["accesses"] else None
    row.update(_flat(r["total"], ""))
    return row


def _flat(members, prefix):
    flat = {}
    for name, value in members.items():
        if isinstance(value, dict):
            flat.update(_flat(value, f"{prefix}{name}."))
        else:
            flat[prefix + name] = value
    return flat


def loads(run):
    """A row per load instruction of a run object, with the members of `loads` in docs/OUTPUT.md."""
    return pandas.json_normalize(run["loads"], max_level=0)


def kernels(run):
    """A row per launch of a run object, with the members of `kernels` in docs/OUTPUT.md, `l1.loads.hits` and so on."""
    return pandas.DataFrame([_flat(k, "") for k in run["kernels"]])


def store(path=None, where=None):
    """A row per run that was kept, with the columns of `weir store columns` (docs/STORE.md). `path` is the store (default: that of
    the command weir); `where` a condition of SQL on the columns."""
    return sql("SELECT * FROM results" + (f" WHERE ({where}\n)" if where else "") + " ORDER BY made, program, chip, scheme, key", path)


def sql(query, path=None, parameters=()):
    """What a query of SQL on a results store gives; its tables and views are in docs/STORE.md."""
    path = os.path.abspath(path or _store_path())
    if not os.path.exists(path):
        raise Error(f"{path}: there is no store; weir compare, sweep and study make one")
    store = sqlite3.connect(f"file:{_quoted(path)}?mode=ro", uri=True)
    try:
        return pandas.read_sql_query(query, store, params=parameters)
    except (sqlite3.Error, pandas.errors.DatabaseError) as e:
        raise Error(f"{path}: {e}") from None
    finally:
        store.close()


def _quoted(path):
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def _store_path():
    named = os.environ.get("WEIR_STORE")
    if named is not None:
        if not named:
            raise Error("an empty WEIR_STORE keeps nothing; name the store")
        return named
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(cache, "weir", "results.sqlite")
