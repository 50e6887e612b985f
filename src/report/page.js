// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The page of weir report. Its state is in the address behind #, so that a view can be kept as a bookmark:
// filter=TEXT&sort=-cycles&measure=ipc&base=lru&run=3.
"use strict";
(() => {
  const root = document.documentElement;
  root.dataset.errors = "0";
  const failed = () => { root.dataset.errors = String(Number(root.dataset.errors) + 1); };
  addEventListener("error", failed);
  addEventListener("unhandledrejection", failed);

  const data = JSON.parse(document.getElementById("data").textContent);
  const runs = data.runs.map((run, index) => ({ ...run, index, set: (run.set || []).join(" ") }));
  const main = document.getElementById("page");
  const okabeIto = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#999999", "#000000"];
  const SERIES = 8; // that bars can tell apart
  const distinct = (list, key) => [...new Set(list.map((x) => x[key]))];

  // ---- elements ----------------------------------------------------------------------------------------------------
  const element = (name, content, attributes) => {
    const e = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) e.setAttribute(key, value);
    e.append(...[].concat(content === undefined || content === null ? [] : content));
    return e;
  };
  const section = (title, id, note) => {
    const s = element("section", element("h2", title), { id });
    if (note) s.append(element("p", note, { class: "note" }));
    main.append(s);
    return s;
  };
  const choice = (label, values, value, act) => {
    const s = element("select", values.map(([v, text]) => element("option", text, { value: v })));
    s.value = value;
    s.addEventListener("change", () => act(s.value));
    return element("label", [label + " ", s]);
  };

  // ---- numbers -----------------------------------------------------------------------------------------------------
  const count = (v) => v.toLocaleString("en-US", { maximumFractionDigits: 0 }).replace(/,/g, "\u202f");
  const real = (v) => v.toLocaleString("en-US", { maximumSignificantDigits: 4, useGrouping: false });
  const percent = (v) => (100 * v).toFixed(1) + " %";
  const times = (v) => v.toFixed(3) + "×";
  const share = (part, whole) => (whole > 0 ? part / whole : undefined);

  // A column: [key, title, format]; no format: text.
  const runColumns = [
    ["program", "program"], ["scheme", "scheme"], ["chip", "chip"], ["set", "set"], ["size", "size"], ["seed", "seed", count],
    ["check", "check"], ["speedup", "speedup", times], ["cycles", "cycles", count], ["ipc", "IPC", real],
    ["l1_hit_rate", "L1 hits", percent], ["l2_hit_rate", "L2 hits", percent], ["dram_bytes", "DRAM bytes", count],
    ["energy_mj", "energy (mJ)", real]];
  const measures = runColumns.filter((c) => c[2] && c[0] !== "seed" && (c[0] === "speedup" || runs.some((r) => r[c[0]] !== undefined)));
  const titleOf = (key) => runColumns.find((c) => c[0] === key)[1];

  // ---- state -------------------------------------------------------------------------------------------------------
  const schemes = distinct(runs, "scheme").filter((s) => s !== undefined);
  const called = (scheme) => { const r = runs.find((r) => ((r.is || {}).scheme || r.scheme) === scheme); return r && r.scheme; };
  const state = { filter: "", sort: "", measure: schemes.length > 1 ? "speedup" : "ipc", base: [called("none"), called("lru"), ...schemes, ""].find((s) => s === "" || schemes.includes(s)), run: "0" };
  for (const [key, value] of new URLSearchParams(location.hash.slice(1))) if (key in state) state[key] = value;
  if (!measures.some((m) => m[0] === state.measure)) state.measure = measures.length > 1 ? measures[1][0] : "speedup";
  if (!runs[Number(state.run)]) state.run = "0";
  const keep = () => {
    const set = Object.entries(state).filter(([, v]) => v !== "");
    history.replaceState(null, "", "#" + new URLSearchParams(set));
  };

  // What differs in nothing but the seed is one case; a speedup is over the base's mean of the same case.
  const caseOf = (r, scheme) => JSON.stringify([r.program, scheme, r.chip, r.size, r.set, r.hints, r.sl1 && r.sl1.options]);
  const mean = (list) => list.reduce((a, b) => a + b, 0) / list.length;
  const setSpeedups = () => {
    const bases = new Map();
    for (const r of runs)
      if (r.scheme === state.base && r.cycles > 0) {
        const key = caseOf(r, "");
        bases.set(key, [...(bases.get(key) || []), r.cycles]);
      }
    for (const r of runs) {
      const base = bases.get(caseOf(r, ""));
      r.speedup = base && r.cycles > 0 ? mean(base) / r.cycles : undefined;
    }
  };
  const words = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = () => runs.filter((r) => {
    const text = runColumns.filter((c) => !c[2]).map((c) => r[c[0]] || "").join(" ").toLowerCase();
    return words(state.filter).every((w) => text.includes(w));
  });

  // ---- tables ------------------------------------------------------------------------------------------------------
  const order = (key, down) => (a, b) => {
    const x = a[key], y = b[key];
    if (x === undefined || y === undefined) return (x === undefined) - (y === undefined); // what has no value stands last
    return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
  };
  const cell = (row, [key, , format]) => {
    const v = row[key];
    if (!format) return element("td", key === "text" ? element("code", v || "") : v === undefined ? "" : String(v), { class: key === "check" && v === "failed" ? "text bad" : "text" });
    return v === undefined ? element("td") : element("td", format(v), { "data-value": v });
  };
  // sort: "cycles" or "-cycles", the largest first; act(sort) when a heading is chosen.
  const table = (id, columns, rows, sort, act, choose) => {
    const used = columns.filter(([key]) => rows.some((r) => r[key] !== undefined && r[key] !== ""));
    const key = sort.replace(/^-/, ""), down = sort[0] === "-";
    const sorted = used.some((c) => c[0] === key) ? [...rows].sort(order(key, down)) : rows;
    const heads = used.map(([k, title, format]) => {
      const b = element("button", title + (k === key ? (down ? " ▼" : " ▲") : ""), { type: "button" });
      b.addEventListener("click", () => act(k === key ? (down ? k : "-" + k) : format ? "-" + k : k));
      return element("th", b, { scope: "col", "data-key": k, class: format ? "" : "text", "aria-sort": k !== key ? "none" : down ? "descending" : "ascending" });
    });
    const body = sorted.map((r) => {
      const tr = element("tr", used.map((c) => cell(r, c)));
      if (choose) choose(tr, r);
      return tr;
    });
    return element("div", element("table", [element("thead", element("tr", heads)), element("tbody", body)], { id }), { class: "wide" });
  };

  // ---- charts ------------------------------------------------------------------------------------------------------
  const base = { $schema: "https://vega.github.io/schema/vega-lite/v5.json", width: "container", background: "#ffffff",
    autosize: { type: "fit-x", contains: "padding" }, config: { font: "sans-serif", axis: { labelLimit: 150, labelFontSize: 11, titleFontSize: 11 }, legend: { labelFontSize: 11, titleFontSize: 11 }, range: { category: okabeIto }, view: { stroke: null } } };
  const draw = (at, title, spec) => {
    const place = element("div", [], { class: "chart", role: "img", "aria-label": title });
    at.append(element("h3", title), place);
    return vegaEmbed(place, { ...base, ...spec }, { renderer: "svg", actions: { export: true, source: false, compiled: false, editor: false } });
  };
  // A mean, least and most per case.
  const cases = (list, key) => {
    const groups = new Map();
    for (const r of list.filter((x) => x[key] !== undefined)) {
      const id = caseOf(r, r.scheme);
      if (!groups.has(id)) groups.set(id, []);
      groups.get(id).push(r);
    }
    const several = distinct(list, "chip").length > 1 || distinct(list, "size").length > 1 || distinct(list, "set").length > 1;
    return [...groups.values()].map((g) => {
      const v = g.map((r) => r[key]), r = g[0];
      const where = several ? " · " + [r.chip, r.size, r.set].filter(Boolean).join(" ") : "";
      return { program: r.program + where, scheme: r.scheme, value: mean(v), least: Math.min(...v), most: Math.max(...v), runs: v.length };
    });
  };
  const format = (key) => (/rate/.test(key) ? ".1%" : key === "speedup" ? ".3f" : /ipc|energy/.test(key) ? ".3~r" : ".4~s");
  const tip = (key) => [{ field: "program" }, { field: "scheme" }, { field: "value", title: titleOf(key), format: format(key) }, { field: "runs" }];

  const heat = (at, list, key) => {
    const values = cases(list, key), columns = distinct(values, "program").length, wide = root.clientWidth >= 60 * columns;
    const all = values.map((v) => v.value), reach = Math.max(0.05, ...all.map((v) => Math.abs(v - 1))); // 5 % at least: noise is pale
    const low = distinct(values, "scheme").length < 9; // too low for a legend beside it
    const legend = { format: format(key), orient: low ? "bottom" : "right" }, middle = (Math.min(...all) + Math.max(...all)) / 2;
    const color = key === "speedup"
      ? { field: "value", type: "quantitative", title: titleOf(key), scale: { scheme: "blueorange", domain: [1 - reach, 1 + reach], reverse: true }, legend }
      : { field: "value", type: "quantitative", title: titleOf(key), scale: { scheme: "viridis" }, legend };
    const dark = key === "speedup" ? `abs(datum.value - 1) > ${0.55 * reach}` : `datum.value < ${middle}`;
    const x = { field: "program", title: null, sort: null, axis: { labelAngle: -40, orient: "top" } }, y = { field: "scheme", title: null, sort: null };
    const layer = [{ mark: { type: "rect", tooltip: true }, encoding: { color, tooltip: tip(key) } }];
    if (wide) layer.push({ mark: { type: "text", fontSize: 10 }, encoding: { text: { field: "value", format: format(key) }, color: { condition: { test: dark, value: "#ffffff" }, value: "#000000" } } });
    return draw(at, `${titleOf(key)}, scheme × program`, { height: { step: 22 }, data: { values }, encoding: { x, y }, layer });
  };
  const bars = (at, list, key) => {
    const values = cases(list, key), noisy = values.some((v) => v.runs > 1);
    const y = { field: "value", type: "quantitative", title: titleOf(key), axis: { format: format(key) } };
    const common = { x: { field: "program", title: null, sort: null, axis: { labelAngle: -40 } }, xOffset: { field: "scheme", sort: null } };
    const layer = [{ mark: { type: "bar", tooltip: true }, encoding: { ...common, y, color: { field: "scheme", sort: null, title: "scheme", legend: { orient: "bottom", columns: 4 } }, tooltip: tip(key) } }];
    if (noisy) layer.push({ mark: { type: "rule", strokeWidth: 1.5 }, encoding: { ...common, y: { field: "least", type: "quantitative", title: titleOf(key) }, y2: { field: "most" } } });
    return draw(at, titleOf(key) + (noisy ? ": mean, and least to most over the seeds" : ""), { height: 260, data: { values }, layer });
  };
  const points = (list, x, y) => list.filter((r) => r[x] > 0 && r[y] > 0);
  const scatter = (at, list) => {
    const y = list.some((r) => r.speedup !== undefined) && schemes.length > 1 ? "speedup" : "ipc";
    const values = points(list, "l1_hit_rate", y).map((r) => ({ program: r.program, scheme: r.scheme, chip: r.chip, x: r.l1_hit_rate, y: r[y] }));
    if (values.length < 2) return null;
    const by = distinct(values, "scheme").length <= SERIES ? "scheme" : distinct(values, "program").length <= SERIES ? "program" : null;
    const encoding = { x: { field: "x", type: "quantitative", title: "L1 hits", axis: { format: "%" } }, y: { field: "y", type: "quantitative", title: titleOf(y), scale: { zero: false } },
      tooltip: [{ field: "program" }, { field: "scheme" }, { field: "chip" }, { field: "x", title: "L1 hits", format: ".1%" }, { field: "y", title: titleOf(y), format: ".3f" }] };
    if (by) Object.assign(encoding, { color: { field: by, legend: { orient: "bottom", columns: 4 } }, shape: { field: by } });
    return draw(at, titleOf(y) + " against L1 hits, a point per run", { height: 280, data: { values }, mark: { type: "point", filled: true, size: 55, opacity: 0.8 }, encoding });
  };
  // As a roofline: what a run makes of each byte from DRAM against its speed. The roof is what the best of these runs reached.
  const roofline = (at, list) => {
    const values = list.filter((r) => r.dram_bytes > 0 && r.thread_ipc > 0).map((r) => ({ program: r.program, scheme: r.scheme, chip: r.chip,
      x: r.thread_instructions / r.dram_bytes, y: r.thread_ipc, rate: r.dram_bytes / r.cycles }));
    if (values.length < 2) return null;
    const rate = Math.max(...values.map((v) => v.rate)), top = Math.max(...values.map((v) => v.y));
    const xs = values.map((v) => v.x), left = Math.min(...xs) / 1.5, right = Math.max(...xs, top / rate) * 1.5;
    const roof = [{ x: left, y: left * rate }, { x: top / rate, y: top }, { x: right, y: top }];
    const log = (field, title) => ({ field, type: "quantitative", title, scale: { type: "log", nice: false, padding: 8 }, axis: { format: "~g", tickCount: 5 } });
    const x = log("x", "thread instructions per byte of DRAM"), y = log("y", "thread instructions per cycle");
    const by = distinct(values, "program").length <= SERIES ? { color: { field: "program", legend: { orient: "bottom", columns: 4 } }, shape: { field: "program" } } : {};
    return draw(at, "Intensity and speed; the roof is what these runs reached", { height: 280, layer: [
      { data: { values: roof }, mark: { type: "line", strokeDash: [5, 4], color: "#666666" }, encoding: { x, y } },
      { data: { values }, mark: { type: "point", filled: true, size: 55, opacity: 0.8 }, encoding: { x, y, ...by,
        tooltip: [{ field: "program" }, { field: "scheme" }, { field: "chip" }, { field: "x", title: "per byte", format: ".3f" }, { field: "y", title: "per cycle", format: ".2f" }, { field: "rate", title: "DRAM bytes per cycle", format: ".2f" }] } }] });
  };

  // ---- sections ----------------------------------------------------------------------------------------------------
  const several = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;
  document.title = `weir report: ${distinct(runs, "program").slice(0, 3).join(", ")}`;
  main.append(element("h1", "weir report"), element("p", [several(runs.length, "run") + ": " + several(distinct(runs, "program").length, "program") + ", " +
    several(schemes.length, "scheme") + ", " + several(distinct(runs, "chip").length, "chip") + ". Made by ", element("code", data.command), "."], { class: "note" }));
  const bad = runs.filter((r) => r.check === "failed" || r.complete === false).length;
  if (bad) main.append(element("p", several(bad, "run") + " failed the check of results or did not end by itself.", { class: "bad" }));

  const overview = section("Runs", "runs"), charts = section("Charts", "charts"), details = section("One run", "details");
  const tableAt = element("div"), heading = element("p", "", { class: "note", id: "shown" }), chartsAt = element("div"), detailsAt = element("div");
  const filter = element("input", [], { type: "search", id: "filter", placeholder: "words that must stand in a row" });
  filter.value = state.filter;
  filter.addEventListener("input", () => { state.filter = filter.value; keep(); tables(); later(); });
  const bases = choice("speedup over", schemes.map((s) => [s, s]), state.base, (v) => { state.base = v; all(); });
  overview.append(element("div", [element("label", ["filter ", filter]), ...(schemes.length > 1 ? [bases] : [])], { class: "controls" }), heading, tableAt);
  charts.append(element("div", choice("measure", measures.map(([k, t]) => [k, t]), state.measure, (v) => { state.measure = v; keep(); plot(); }), { class: "controls" }), chartsAt);
  details.append(element("div", choice("run", runs.map((r) => [String(r.index), [r.program, r.scheme, r.chip, r.set, r.size, r.seed].filter((x) => x !== undefined && x !== "").join(" · ")]),
    state.run, (v) => { state.run = v; keep(); tables(); detail(); }), { class: "controls", id: "run" }), detailsAt);

  const tables = () => {
    const list = shown();
    heading.textContent = list.length === runs.length ? "Choose a heading to sort, a row to look into." : `${list.length} of ${several(runs.length, "run")}`;
    tableAt.replaceChildren(table("sweep", runColumns.filter((c) => c[0] !== "speedup" || schemes.length > 1), list, state.sort, (sort) => { state.sort = sort; keep(); tables(); }, (tr, r) => {
      if (r.index === Number(state.run)) tr.className = "chosen";
      tr.addEventListener("click", () => { state.run = String(r.index); details.querySelector("select").value = state.run; keep(); tables(); detail(); });
    }));
  };
  let drawing = Promise.resolve(), timer;
  const plot = () => {
    drawing = drawing.then(async () => {
      const list = shown(), fresh = element("div");
      chartsAt.replaceChildren(fresh);
      if (!list.length) return void fresh.append(element("p", "No run passes the filter.", { class: "note" }));
      const many = distinct(list, "scheme").length;
      if (many > 1 && distinct(list, "program").length > 1 || many > SERIES) await heat(fresh, list, state.measure);
      if (many <= SERIES && list.length > 1) await bars(fresh, list, state.measure);
      await scatter(fresh, list);
      await roofline(fresh, list);
    }).catch((e) => { failed(); console.error(e); });
    return drawing;
  };
  const later = () => { clearTimeout(timer); timer = setTimeout(plot, 300); };

  const kernelColumns = [["kernel", "kernel"], ["launches", "launches", count], ["cycles", "cycles", count], ["share", "of cycles", percent], ["warp_instructions", "warp instructions", count],
    ["ipc", "IPC", real], ["hit", "L1 hits", percent], ["registers", "registers", count], ["core_blocks", "blocks per core", count], ["limited_by", "limited by"]];
  const lineColumns = [["place", "line"], ["array", "array"], ["executions", "executions", count], ["transactions", "accesses", count], ["per", "per request", real],
    ["hit", "L1 hits", percent], ["bypassed", "bypassed", percent], ["of_fills", "of fills", percent], ["reused", "reused", percent], ["latency", "latency", count], ["text", "source"]];
  const sorts = { kernels: "-cycles", lines: "-of_fills" };
  const detailTable = (name, columns, rows) => {
    const at = element("div");
    const put = () => at.replaceChildren(table(name, columns, rows, sorts[name], (sort) => { sorts[name] = sort; put(); }));
    put();
    return at;
  };
  const detail = () => {
    const r = runs[Number(state.run)], cycles = r.kernels.reduce((a, k) => a + (k.cycles || 0), 0), fills = r.lines.reduce((a, l) => a + (l.fills || 0), 0);
    const kernels = r.kernels.map((k) => ({ ...k, share: share(k.cycles, cycles), ipc: share(k.warp_instructions, k.cycles), hit: share(k.hits, k.accesses) }));
    const lines = r.lines.map((l) => ({ ...l, place: l.file.replace(/.*\//, "") + ":" + l.line, text: data.sources[l.source] || undefined, per: share(l.transactions, l.executions),
      hit: share(l.hits, l.transactions), bypassed: share(l.bypasses, l.transactions), of_fills: share(l.fills, fills), reused: share(l.lines - l.zero_reuse_fills, l.lines), latency: share(l.latency_cycles, l.executions) }));
    const policies = (r.policy || []).map((p) => `${p.level}  ${p.kind}  ${p.name}  ` + Object.entries(p.knobs).map(([k, v]) => `${k}=${v}`).join(" "));
    const is = Object.entries(r.is || {}).map(([what, text]) => `${what}  ${text}`);
    const parts = [];
    if (is.length) parts.push(element("h3", "What the names stand for"), element("pre", is.join("\n")));
    parts.push(element("h3", "Kernels"), detailTable("kernels", kernelColumns, kernels));
    if (lines.length) parts.push(element("h3", "Loads, by line of source"), detailTable("lines", lineColumns, lines));
    if (policies.length) parts.push(element("h3", "Policies as used"), element("pre", policies.join("\n")));
    if (r.set) parts.push(element("h3", "Values of the chip that were changed"), element("pre", r.set));
    parts.push(element("h3", "To make it again"), element("pre", r.command, { id: "command" }));
    detailsAt.replaceChildren(...parts);
  };

  const chips = section("Chips", "chips", "Each as its file says when this page is made; what it builds on is named in it.");
  for (const [name, text] of Object.entries(data.chips)) chips.append(element("details", [element("summary", name), element("pre", text || "Its file is not at hand.")]));
  const again = section("How to reproduce", "reproduce", `weir ${distinct(runs, "weir").join(", ")}. Run objects do not name --input, --plugin and the counts of a mix: add them where they were given.`);
  again.append(element("details", [element("summary", several(new Set(runs.map((r) => r.command)).size, "command line")), element("pre", [...new Set(runs.map((r) => r.command))].join("\n"))]));
  addEventListener("beforeprint", () => document.querySelectorAll("#reproduce details").forEach((d) => { d.open = true; }));

  const all = () => { setSpeedups(); keep(); tables(); plot(); };
  setSpeedups();
  tables();
  detail();
  plot().then(() => { root.dataset.ready = "1"; });
})();
