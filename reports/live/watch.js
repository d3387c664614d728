// SPDX-FileCopyrightText: TesterLibrary contributors
// SPDX-License-Identifier: Apache-2.0
// The page of a run: takes what it is told by server-sent events, and draws it at most four times a second.
"use strict";

const element = (id) => document.getElementById(id);
const MOST_LINES = 300, MOST_ROWS = 20, DRAW_MS = 250, QUIET_MS = 30000;
const LOG_KINDS = { trial: "trial", verdict: "verdict", result: "verdict", mark: "event", event: "event", withdrawal: "event" };
let state, dirty = false, drawn = 0;

function fresh() {
  return {
    run: null, tests: new Map(), points: [], keys: new Map(), sorted: true, marks: [], log: [], problems: new Map(),
    place: null, procedure: "", of: null, trials: 0, trial: "", part: null, outcomes: new Map(), withdrawn: new Set(),
    reports: [], progress: null, newest: 0, now: 0, nowAt: 0, picked: null,
  };
}

const key = (message) => JSON.stringify([message.suite, message.test]);
const placeName = (message) => [message.suite, message.test].filter(Boolean).join(" · ") || "outside tests";
const clock = (ms) => new Date(ms).toLocaleTimeString([], { hour12: false });
const number = (value, digits = 4) => value === null || value === undefined ? "–" : Number(value.toPrecision(digits)).toLocaleString("en", { maximumFractionDigits: 9 });

function lasting(seconds) {
  for (const [size, unit] of [[1, "s"], [1e-3, "ms"], [1e-6, "us"]]) if (seconds >= size) return `${number(seconds / size)} ${unit}`;
  return `${number(seconds * 1e9)} ns`;
}

function took(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  if (whole >= 3600) return `${Math.floor(whole / 3600)} h ${Math.floor(whole % 3600 / 60)} min`;
  return whole >= 60 ? `${Math.floor(whole / 60)} min ${whole % 60} s` : `${whole} s`;
}

function test(message) {
  const name = key(message);
  if (!state.tests.has(name)) state.tests.set(name, { suite: message.suite, test: message.test, outcome: "", said: "", from: null, to: null, seconds: null });
  return state.tests.get(name);
}

// What is told

const told = {
  reset() { state = fresh(); },
  run(message) { state.run = message; for (const item of message.agenda) test(item); },
  state(message) { state.progress = message; },
  reports(message) { state.reports = message.names; },
  clock(message) { state.now = message.now; state.nowAt = performance.now(); },
  problem(message) { if (message.text) state.problems.set(message.key, message.text); else state.problems.delete(message.key); },
  began(message) {
    Object.assign(state, { place: message, procedure: "", of: null, trials: 0, trial: "", part: null });
    if (message.test) Object.assign(test(message), { outcome: "", said: "", from: message.t, to: null, seconds: null });
  },
  procedure(message) {
    if (message.title !== state.procedure) Object.assign(state, { trials: 0, trial: "" });
    Object.assign(state, { place: message, procedure: message.title, of: message.trials, part: null });
  },
  procedure_ended() { Object.assign(state, { procedure: "", of: null, part: null }); },
  counters(message) { state.place = message; state.part = message.part; point(message, "counters"); },
  interval(message) { state.place = message; point(message, `interval ${message.number}`); },
  trial(message) {
    state.place = message;
    state.part = null;
    if (message.attempt === 1) state.trials += 1;
    const again = message.attempt > 1 ? ` (attempt ${message.attempt})` : "";
    state.trial = `trial ${message.number}${again}, ${lasting(message.seconds)} at ${number(message.load)} %: ${message.said}`;
    point(message, `trial ${message.number}${again}`);
    log(message, state.trial);
  },
  result(message) { log(message, message.said); },
  verdict(message) {
    state.outcomes.set(message.number, message.outcome);
    log(message, message.said, message.outcome);
  },
  withdrawal(message) {
    state.withdrawn.add(message.verdict);
    log(message, `verdict ${message.verdict} does not count: ${message.by} caught its failure`);
  },
  test(message) {
    const found = test(message);
    Object.assign(found, { outcome: message.outcome, said: message.said, to: message.t, seconds: message.seconds, anchor: message.anchor });
    found.from ??= message.t - message.seconds * 1000;
    if (state.place && key(state.place) === key(message)) Object.assign(state, { place: null, procedure: "", trial: "", part: null });
  },
  event(message) {
    if (message.left_out) Object.assign(test(message), { outcome: "INCONCLUSIVE", said: message.said });
    log(message, message.said);
  },
  mark(message) { state.marks.push({ x: message.t / 1000, name: message.said }); log(message, `mark: ${message.said}`, "mark"); },
  closed() { Object.assign(state, { place: null, procedure: "", part: null }); },
};

function point(message, what) {
  const found = test(message);
  if (message.test) { found.from ??= message.t - (message.seconds ?? 0) * 1000; }
  const made = { ...message, what, x: message.t / 1000 };
  const name = message.key === undefined ? null : `${message.bed} ${message.key}`;
  if (name !== null && state.keys.has(name)) { // an interval that its result corrects
    Object.assign(state.points[state.keys.get(name)], made, { x: state.points[state.keys.get(name)].x });
    return;
  }
  const last = state.points.at(-1);
  if (last && last.x > made.x) { // not in the order of time: its place is found
    let at = state.points.length;
    while (at > 0 && state.points[at - 1].x > made.x) at -= 1;
    state.points.splice(at, 0, made);
    for (const [known, index] of state.keys) if (index >= at) state.keys.set(known, index + 1);
    if (name !== null) state.keys.set(name, at);
    return;
  }
  if (name !== null) state.keys.set(name, state.points.length);
  state.points.push(made);
}

function log(message, said, style = "") {
  state.log.push({ t: message.t, kind: LOG_KINDS[message.type], said, style, place: placeName(message) });
  if (state.log.length > 4 * MOST_LINES * 3) state.log.splice(0, MOST_LINES);
}

function take(messages) {
  for (const message of messages) {
    if (message.t > state.newest) state.newest = message.t;
    told[message.type]?.(message);
  }
  plan();
}

// Charts

const color = (name) => () => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const charts = {};
const LINES = {
  rate: [["sent", "sent", "--value", []], ["received", "received", "--second", [6, 3]]],
  loss: [["loss", "loss", "--second", []]],
  delay: [["mean", "delay", "--value", []], ["p99 of a trial", "p99", "--second", [6, 3]]],
};
const SCALE = { rate: 1, loss: 100, delay: 1e-3 };

function span() {
  const first = Math.min(state.points[0]?.x ?? Infinity, state.marks[0]?.x ?? Infinity, state.newest / 1000), last = Math.max(state.points.at(-1)?.x ?? 0, state.newest / 1000);
  const wanted = document.querySelector("input[name=span]:checked").value;
  if (wanted === "picked" && state.picked) return state.picked;
  const from = wanted === "all" || wanted === "picked" ? first : last - Number(wanted);
  return [from, Math.max(last, from + 1)];
}

function subject(found, wanted) {
  if (!wanted) return found;
  const [kind, name] = JSON.parse(wanted);
  return found[kind]?.[name] ?? null;
}

// Times and values of one chart: null parts the lines of two tests, and a line goes on over undefined.
function series(id) {
  const wanted = element("subject").value, lines = LINES[id], data = [[], ...lines.map(() => [])];
  let before = null;
  for (const found of state.points) {
    const values = subject(found, wanted);
    const each = lines.map(([, name]) => values?.[name] ?? undefined);
    if (each.every((value) => value === undefined)) continue;
    if (before && key(before) !== key(found)) {
      data[0].push((before.x + found.x) / 2);
      lines.forEach((_, index) => data[index + 1].push(null));
    }
    data[0].push(found.x);
    each.forEach((value, index) => data[index + 1].push(value === undefined ? undefined : value * SCALE[id]));
    before = found;
  }
  return data;
}

function marks(plot) {
  const { ctx } = plot, ratio = devicePixelRatio, { left, top, width, height } = plot.bbox;
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, width, height);
  ctx.clip();
  ctx.strokeStyle = ctx.fillStyle = color("--mark")();
  ctx.lineWidth = ratio;
  ctx.setLineDash([2 * ratio, 3 * ratio]);
  ctx.font = `${11 * ratio}px system-ui, sans-serif`;
  for (const mark of state.marks) {
    const x = plot.valToPos(mark.x, "x", true);
    if (x < left || x > left + width) continue;
    ctx.beginPath();
    ctx.moveTo(x, top);
    ctx.lineTo(x, top + height);
    ctx.stroke();
    ctx.fillText(mark.name, x + 3 * ratio, top + 12 * ratio);
  }
  ctx.restore();
}

function short(value) {
  for (const [size, unit] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) if (Math.abs(value) >= size) return `${number(value / size, 3)}${unit}`;
  return number(value, 3);
}

function tick(x, step) {
  const at = new Date(x * 1000);
  if (step >= 86400) return at.toLocaleDateString();
  return step < 1 ? `${clock(at)}.${String(at.getMilliseconds()).padStart(3, "0")}` : clock(at);
}

function makeChart(id) {
  const place = element(id), axis = { stroke: color("--ink"), grid: { stroke: color("--grid"), width: 1 }, ticks: { stroke: color("--grid"), width: 1 } };
  const shown = (_, value) => value === null || value === undefined ? "–" : number(value);
  const line = ([label, , tint, dash]) => ({ label, stroke: color(tint), width: 1.5, dash, points: { size: 5 }, value: shown });
  charts[id] = new uPlot({
    width: place.clientWidth || 340, height: 200,
    scales: { x: { range: () => span() }, y: { range: (_, low, high) => [0, high > 0 ? high * 1.1 : 1] } },
    axes: [{ ...axis, space: (_, index, low, high) => high - low < 10 ? 110 : 80, values: (_, ticks, index, room, step) => ticks.map((x) => tick(x, step)) }, { ...axis, size: 56, values: (_, ticks) => ticks.map(short) }],
    series: [{ value: (_, x) => x === null || x === undefined ? "–" : clock(x * 1000) }, ...LINES[id].map(line)],
    cursor: { drag: { x: true, y: false, setScale: false } },
    hooks: { draw: [marks], setSelect: [pick] },
  }, series(id), place);
  new ResizeObserver(() => charts[id].setSize({ width: place.clientWidth, height: 200 })).observe(place);
}

function pick(plot) {
  const { left, width } = plot.select;
  if (width < 4) return;
  zoom(plot.posToVal(left, "x"), plot.posToVal(left + width, "x"));
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
}

function zoom(from, to) {
  const picked = document.querySelector("input[name=span][value=picked]");
  state.picked = [from, Math.max(to, from + 0.1)];
  picked.disabled = false;
  picked.checked = true;
  plan();
}

// What is seen

function plan() {
  if (dirty) return;
  dirty = true;
  setTimeout(() => requestAnimationFrame(draw), Math.max(0, DRAW_MS - (performance.now() - drawn)));
}

function text(id, value) {
  const place = element(id);
  if (place.textContent !== value) place.textContent = value;
}

function options(select, wanted) {
  const known = JSON.stringify(wanted);
  if (select.dataset.known === known) return;
  const chosen = select.value;
  select.dataset.known = known;
  select.replaceChildren(...wanted.map(([value, name]) => new Option(name, value)));
  select.value = wanted.some(([value]) => value === chosen) ? chosen : wanted[0][0];
}

function cell(row, value, style = "") {
  const made = row.insertCell();
  made.append(value);
  made.className = style;
  return made;
}

function draw() {
  dirty = false;
  drawn = performance.now();
  drawHead();
  drawNow();
  drawCharts();
  drawTests();
  drawLog();
}

function drawHead() {
  const { run } = state;
  if (run) {
    document.title = `${run.title} – run ${run.name}`;
    text("title", run.title);
    const testers = run.testers.map((tester) => `${tester.bed}: ${tester.device || "device not named"}, tested by ${tester.tester}`);
    text("about", [`Run ${run.name} of ${new Date(run.started).toLocaleString()}`, run.profile && `profile ${run.profile}`, ...testers].filter(Boolean).join("; "));
    text("demonstration", run.demonstration);
    element("demonstration").hidden = !run.demonstration;
  }
  const box = element("problems"), said = [...state.problems.values()];
  box.hidden = said.length === 0;
  if (box.dataset.said !== said.join("\n")) {
    box.dataset.said = said.join("\n");
    box.replaceChildren(...said.map((sentence) => Object.assign(document.createElement("p"), { textContent: sentence })));
  }
}

function drawAge() {
  const finished = state.progress?.finished;
  if (finished || !state.newest || !state.now) { text("age", state.newest ? `last record at ${clock(state.newest)}` : ""); return; }
  const age = state.now + performance.now() - state.nowAt - state.newest;
  text("age", age < QUIET_MS ? `last record ${took(age / 1000)} ago` : `nothing was recorded for ${took(age / 1000)}: the run waits, or was killed`);
}

function drawNow() {
  const { progress, place } = state, of = progress?.of ?? 0;
  if (connected) text("state", progress?.finished ? "finished" : "going on");
  element("state").className = progress?.finished ? "good" : "running";
  text("tests-done", of ? `${progress.done} of ${of} tests are done` : `${[...state.tests.values()].filter((found) => found.outcome).length} tests are done`);
  const bar = element("tests-bar");
  bar.hidden = !of;
  if (of) { bar.max = of; bar.value = progress.done; }
  const parts = progress?.finished ? "no test is running" : place ? placeName(place) : "no test has begun or said anything yet";
  text("test-now", state.tests.size && !place ? "no test is running" : parts);
  const count = state.procedure && `${state.procedure}: ${state.trials} ${state.trials === 1 ? "trial" : "trials"}${state.of ? ` of at most ${Math.max(state.of, state.trials)}` : ""}`;
  const sending = state.part === null ? "" : `sending, ${Math.round(state.part * 100)} % of its frames`;
  text("trial-now", [count, sending, state.trial && `last: ${state.trial}`].filter(Boolean).join("; "));
  const counts = new Map();
  for (const [verdict, outcome] of state.outcomes) if (!state.withdrawn.has(verdict)) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  text("verdicts", counts.size ? `Verdicts: ${[...counts].map(([name, many]) => `${many} ${name}`).join(", ")}` : "No verdict yet");
  const links = element("reports");
  links.hidden = state.reports.length === 0;
  if (links.dataset.names !== state.reports.join()) {
    links.dataset.names = state.reports.join();
    const made = state.reports.flatMap((name) => [Object.assign(document.createElement("a"), { href: name, textContent: name.replace("/index.html", "") }), ", "]);
    links.replaceChildren("Reports: ", ...made.slice(0, -1));
  }
  drawAge();
}

function drawCharts() {
  const streams = new Set(), ports = new Set();
  for (const found of state.points) {
    for (const name of Object.keys(found.streams)) streams.add(name);
    for (const name of Object.keys(found.ports)) ports.add(name);
  }
  const each = (kind, names, word) => [...names].map((name) => [JSON.stringify([kind, name]), `${word} ${name}`]);
  options(element("subject"), [["", "all streams"], ...each("streams", streams, "stream"), ...each("ports", ports, "port")]);
  for (const id of Object.keys(LINES)) {
    if (!charts[id]) makeChart(id);
    const data = series(id);
    charts[id].setData(data);
    const newest = LINES[id].map(([label], index) => [label, data[index + 1].findLast((value) => value !== null && value !== undefined)]);
    const known = newest.filter(([, value]) => value !== undefined);
    text(`${id}-said`, known.length ? `newest: ${known.map(([label, value]) => `${label} ${number(value)}`).join(", ")}` : "not measured so far");
  }
  if (!element("numbers").open) return;
  const wanted = element("subject").value, rows = document.createElement("tbody");
  for (const found of state.points.slice(-MOST_ROWS).reverse()) {
    const values = subject(found, wanted) ?? {}, row = rows.insertRow();
    const scaled = (name, scale) => number(values[name] === null || values[name] === undefined ? null : values[name] * scale);
    for (const value of [clock(found.t), found.what, scaled("sent", 1), scaled("received", 1), scaled("loss", 100), scaled("delay", 1e-3), scaled("p99", 1e-3)]) cell(row, value);
  }
  element("rows").replaceChildren(...rows.rows);
}

function drawTests() {
  const all = [...state.tests.values()].filter((found) => found.test), counts = new Map();
  const running = state.place?.test && !state.progress?.finished ? key(state.place) : "";
  const outcome = (found) => found.outcome || (key(found) === running ? "running" : "to be run");
  for (const found of all) counts.set(outcome(found), (counts.get(outcome(found)) ?? 0) + 1);
  text("counts", [...counts].map(([name, many]) => `${many} ${name}`).join(", ") || "No test so far");
  options(element("outcome"), [["", "all"], ...[...counts.keys()].sort().map((name) => [name, name])]);
  const wanted = element("outcome").value, shown = all.filter((found) => !wanted || outcome(found) === wanted);
  const body = element("tests"), known = JSON.stringify([state.reports, shown.map((found) => [outcome(found), found])]);
  if (body.dataset.known === known) return;
  const focused = document.activeElement?.dataset?.test;
  body.dataset.known = known;
  body.replaceChildren();
  for (const found of shown) {
    const row = body.insertRow(), name = placeName(found);
    cell(row, outcome(found), outcome(found).replace(" ", "-"));
    if (found.from === null) cell(row, name); else {
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: name, title: "Show its time in the charts" });
      button.dataset.test = key(found);
      button.addEventListener("click", () => { zoom(found.from / 1000, (found.to ?? state.newest) / 1000); element("charts").scrollIntoView({ block: "center" }); });
      cell(row, button);
      if (focused === button.dataset.test) button.focus({ preventScroll: true });
    }
    const said = cell(row, found.said, "said");
    if (found.anchor && found.outcome !== "PASS" && state.reports.includes("certificate.html")) {
      said.append(" ", Object.assign(document.createElement("a"), { href: `/certificate.html#${found.anchor}`, textContent: "trials, frames and evidence" }));
    }
    cell(row, found.seconds === null ? "" : took(found.seconds));
  }
}

function drawLog() {
  const kinds = new Set([...document.querySelectorAll("#kinds input:checked")].map((box) => box.value));
  const lines = state.log.filter((line) => kinds.has(line.kind)).slice(-MOST_LINES).reverse();
  const list = element("log"), known = `${lines.length} ${lines[0]?.t} ${lines[0]?.said} ${[...kinds]}`;
  if (list.dataset.known === known) return;
  list.dataset.known = known;
  list.replaceChildren(...lines.map((line) => {
    const item = document.createElement("li"), at = Object.assign(document.createElement("time"), { textContent: clock(line.t), dateTime: new Date(line.t).toISOString() });
    const said = Object.assign(document.createElement("span"), { textContent: line.said, className: line.style.replace(" ", "-") });
    item.title = line.place;
    item.append(at, said);
    return item;
  }));
}

// The connection

let connected = false;

function connect() {
  const source = new EventSource("events");
  source.addEventListener("open", () => { connected = true; plan(); });
  source.addEventListener("message", (event) => take(JSON.parse(event.data)));
  source.addEventListener("end", () => { source.close(); lost("the page is no longer served; `tester watch RUN` shows the run again"); });
  source.addEventListener("error", () => lost(source.readyState === EventSource.CLOSED ? "not connected; too many pages may be open, or the run has ended" : "not connected: trying again"));
}

function lost(why) {
  connected = false;
  const finished = state.progress?.finished ? "finished; " : "";
  text("state", finished + why);
}

state = fresh();
for (const id of ["subject", "outcome", "numbers"]) element(id).addEventListener(id === "numbers" ? "toggle" : "change", plan);
for (const box of document.querySelectorAll("input")) box.addEventListener("change", plan);
element("choice").addEventListener("submit", (event) => event.preventDefault());
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { for (const chart of Object.values(charts)) chart.redraw(false); });
setInterval(drawAge, 1000);
connect();
