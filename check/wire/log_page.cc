#include "check/wire/log_page.h"

namespace acp::check {

// Nothing is fetched from anywhere, and nothing but this page's own script runs.
const char* const log_page_head = R"html(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
<title>)html";

const char* const log_page_style = R"html(</title>
<style>
:root { color-scheme: light dark; --line: #8884; --client: #2a6fdb; --agent: #1a8a4a; --bad: #c4302b; --odd: #b06a00; }
body { font: 14px/1.45 system-ui, sans-serif; margin: 0 auto; max-width: 1100px; padding: 0 16px 48px; }
header { position: sticky; top: 0; background: Canvas; padding: 12px 0 8px; z-index: 1; border-bottom: 1px solid var(--line); }
h1 { font-size: 16px; margin: 0 0 8px; overflow-wrap: anywhere; }
h1 small { color: GrayText; font-weight: 400; font-size: 13px; }
.bar { display: flex; gap: 8px; flex-wrap: wrap; align-items: center; }
.bar input[type=search] { flex: 1 1 220px; font: inherit; padding: 4px 8px; }
button { font: inherit; padding: 3px 10px; cursor: pointer; }
.sides { display: grid; grid-template-columns: 76px 1fr; font-weight: 600; margin-top: 8px; }
.sides div:last-child { display: flex; justify-content: space-between; }
.row { display: grid; grid-template-columns: 76px 1fr; border-bottom: 1px solid #8881; }
.row > .time { color: GrayText; font: 12px/1.9 ui-monospace, monospace; }
.lane { position: relative; padding: 2px 18px 5px; border-left: 2px solid var(--client); border-right: 2px solid var(--agent); cursor: pointer; overflow-wrap: anywhere; }
.row.inside .lane { padding-left: 48px; }
.head { display: flex; gap: 8px; align-items: baseline; flex-wrap: wrap; }
.name { font: 600 13px ui-monospace, monospace; } .tool .name { font: 600 14px system-ui, sans-serif; }
.agent .head { justify-content: flex-end; }
.client .name { color: var(--client); } .agent .name { color: var(--agent); }
.wire { height: 0; border-top: 1.5px solid var(--client); position: relative; margin: 1px 0 2px; }
.agent .wire { border-color: var(--agent); } .notification .wire, .message .wire, .tool .wire { border-top-style: dashed; }
.wire::after { content: ""; position: absolute; top: -5px; border: 4px solid transparent; }
.client .wire::after { right: -4px; border-left-color: var(--client); }
.agent .wire::after { left: -4px; border-right-color: var(--agent); }
.what { white-space: pre-wrap; max-height: 7.5em; overflow: auto; }
.agent .what { text-align: right; } .message .what { text-align: left; }
.outcome { color: GrayText; } .failed .outcome, .violation .name, .stray .name { color: var(--bad); }
.fault .name { color: var(--odd); } .violation .lane { background: #c4302b14; } .fault .lane { background: #b06a0014; }
.violation .wire, .fault .wire, .end .wire, .stray .wire { display: none; }
.fold { border: 0; background: none; padding: 0 4px; font-size: 13px; }
pre { background: #8881; padding: 8px; overflow: auto; max-height: 420px; margin: 6px 0; white-space: pre-wrap; overflow-wrap: anywhere; cursor: text; text-align: left; }
mark { background: #ffd54a; color: #000; }
table { border-collapse: collapse; margin-top: 24px; } td, th { padding: 2px 12px 2px 0; text-align: right; } td:first-child, th:first-child { text-align: left; }
[hidden] { display: none !important; }
</style>
</head>
<body>
<header>
<h1 id="title"> <small id="about"></small></h1>
<div class="bar">
<input type="search" id="search" placeholder="Search in everything" aria-label="Search">
<span id="count"></span>
<button id="fold">Fold all turns</button>
<button id="broken">Violations only</button>
</div>
<div class="sides"><div></div><div><span>client</span><span>agent</span></div></div>
</header>
<main id="rows"></main>
<table id="statistics"></table>
)html";

const char* const log_page_script = R"html(<script>
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const make = (tag, name, text) => {
  const node = document.createElement(tag);
  if (name) node.className = name;
  if (text !== undefined) node.textContent = text;
  return node;
};
// Ids of agents begin alike and differ at their ends. The whole one is the tooltip, and is searched.
const shortId = (id) => id.length > 12 ? `…${id.slice(-6)}` : id;
const unquoted = (id) => id.replace(/^"(.*)"$/, "$1");
const says = { agent_message: "says", agent_thought: "thinks", user_message: "user said" };
const thingOf = (entry) => entry.method === "terminal" ? "terminal" : "tool call";
const nameOf = (entry) => {
  if (entry.kind === "request") return `${entry.method} #${shortId(unquoted(entry.id))}`;
  if (entry.kind === "message") return says[entry.method.replace(/_chunk$/, "")] ?? entry.method;
  if (entry.kind === "tool") return entry.what || thingOf(entry);
  if (entry.kind === "violation") return `${entry.outcome} ${entry.method}`;
  if (entry.kind === "fault") return `fault ${entry.method}`;
  if (entry.kind === "stray") return "no message";
  return entry.kind === "end" ? "end" : entry.method;
};
const ids = new Set(Object.values(data.entries).map((entry) => entry.session));
const isId = (entry) => ids.has(entry.outcome) || entry.method === "session/new" || entry.method === "terminal/create";
const outcomeOf = (entry) => {
  const outcome = isId(entry) && !entry.failed ? shortId(entry.outcome) : entry.outcome;
  const inserted = entry.inserted ? `inserted after ${entry.inserted}` : "";
  if (entry.kind === "request" && entry.took) return `= ${outcome} (${[entry.took, inserted].filter(Boolean).join(", ")})`;
  if (entry.kind === "request") return inserted ? `= ${inserted}, not over` : "= not answered";
  if (entry.kind === "tool") return `${thingOf(entry)} ${shortId(entry.id)}  ${entry.outcome}`;
  return entry.kind === "message" && entry.frames.length > 1 ? `${entry.frames.length} chunks` : "";
};
const pretty = (text) => {
  try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; }
};
const rows = [];
const folded = new Set();
let query = "", onlyBroken = false;

function show(row) {
  const { entry, index } = row;
  const found = query === "" || row.text.includes(query);
  const inFold = entry.turn !== undefined && folded.has(entry.turn) && query === "" && !onlyBroken;
  const hidden = !found || inFold || (onlyBroken && entry.kind !== "violation" && !row.broken);
  row.node.hidden = hidden;
  if (row.fold) {
    row.fold.textContent = folded.has(index) ? "▸" : "▾";
    row.fold.setAttribute("aria-expanded", String(!folded.has(index)));
  }
  return !hidden;
}
function refresh() {
  const count = rows.filter(show).length;
  document.getElementById("count").textContent = `${count} of ${rows.length}`;
}
function open(row) {
  if (row.detail) {
    row.detail.remove();
    row.detail = undefined;
    return;
  }
  row.detail = make("div", "detail");
  for (const number of row.entry.frames) row.detail.append(make("pre", "", `frame ${number}\n${pretty(data.frames[number] ?? "")}`));
  row.detail.addEventListener("click", (event) => event.stopPropagation());
  row.lane.append(row.detail);
}
const turns = new Set(Object.values(data.entries).map((entry) => entry.turn));
const broken = new Set(Object.values(data.entries).filter((e) => e.kind === "violation").flatMap((e) => e.frames));
for (const [key, entry] of Object.entries(data.entries)) {
  const index = Number(key);
  const node = make("div", `row ${entry.from} ${entry.kind}`);
  if (entry.failed) node.classList.add("failed");
  if (entry.turn !== undefined) node.classList.add("inside");
  node.append(make("div", "time", (entry.at / 1e6).toFixed(3)));
  const lane = make("div", "lane");
  const head = make("div", "head");
  const row = { entry, index, node, lane, broken: entry.frames.some((n) => broken.has(n)) };
  if (turns.has(index)) {
    row.fold = make("button", "fold", "▾");
    row.fold.addEventListener("click", (event) => {
      event.stopPropagation();
      if (!folded.delete(index)) folded.add(index);
      refresh();
    });
    head.append(row.fold);
  }
  const name = make("span", "name", nameOf(entry));
  const outcome = make("span", "outcome", outcomeOf(entry));
  if (entry.id) name.title = outcome.title = unquoted(entry.id);
  if (isId(entry)) outcome.title = entry.outcome;
  head.append(name, outcome);
  lane.append(head, make("div", "wire"));
  if (entry.what && entry.kind !== "tool") lane.append(make("div", "what", entry.what));
  lane.addEventListener("click", () => open(row));
  node.append(lane);
  row.text = [nameOf(entry), outcomeOf(entry), entry.what, entry.session ?? "", ...entry.frames.map((n) => data.frames[n] ?? "")].join("\n").toLowerCase();
  document.getElementById("rows").append(node);
  rows.push(row);
}
document.getElementById("title").prepend(data.command.join(" ") || "A recording");
document.getElementById("about").textContent = `recorded by ${data.program}` + (data.version ? `, ACP version ${data.version}` : "");
document.getElementById("search").addEventListener("input", (event) => {
  query = event.target.value.toLowerCase();
  refresh();
});
document.getElementById("fold").addEventListener("click", (event) => {
  const all = rows.filter((row) => row.fold).map((row) => row.index);
  const fold = all.some((index) => !folded.has(index));
  folded.clear();
  if (fold) all.forEach((index) => folded.add(index));
  event.target.textContent = fold ? "Unfold all turns" : "Fold all turns";
  refresh();
});
document.getElementById("broken").addEventListener("click", (event) => {
  onlyBroken = !onlyBroken;
  event.target.textContent = onlyBroken ? "Everything" : "Violations only";
  refresh();
});
const table = document.getElementById("statistics");
const line = (cells, tag) => {
  const row = make("tr");
  for (const cell of cells) row.append(make(tag, "", cell));
  table.append(row);
};
line(["method", "from", "count", "failed", "p50", "p99", "bytes"], "th");
for (const cells of data.statistics) line(cells, "td");
refresh();
</script>
</body>
</html>
)html";

}  // namespace acp::check
