// Every run: filters, what differs, failures.

const runState = { text: "", env: "", agent: "", status: "", sort: "", down: false, most: 100, chosen: [] };

const RUN_COLUMNS = [
  // title, key, what is sorted by
  ["agent", "agent", (run) => run.agent], ["environment", "env", (run) => run.env], ["seed", "seed", (run) => Number(run.seed)],
  ["status", "status", (run) => run.status], ["progress", "share", (run) => run.share], ["episodes", "episodes", (run) => run.episodes],
  ["steps", "steps", (run) => run.steps], ["mean of last 100", "recent", (run) => run.recent], ["solved at", "solved", (run) => run.solved],
  ["time", "seconds", (run) => run.seconds], ["left", "left", (run) => run.left],
];
const RUN_WORDS = ["agent", "env", "status", "share"];

function runsView(board) {
  const view = el("section", { class: "view" });
  const body = el("tbody");
  const count = el("p", { class: "faint", role: "status" });
  const more = el("button", { type: "button", click: () => { runState.most += 200; show(); } }, "Show more");
  const search = el("input", { type: "search", placeholder: "words, or gamma=0.99", input: () => { runState.text = search.value; show(); } });
  const set = (key) => (value) => { runState[key] = value; show(); };
  const env = choice("Environment", [["", "all"]], "", set("env"));
  const agent = choice("Agent", [["", "all"]], "", set("agent"));
  const status = choice("Status", [["", "all"]], "", set("status"));
  const differences = el("div");
  const failures = el("div");
  const head = el("tr", {}, el("th", { scope: "col" }, "compare"), RUN_COLUMNS.map(([title, key]) => {
    const sort = () => { runState.down = runState.sort === key ? !runState.down : false; runState.sort = key; show(); };
    return el("th", { scope: "col", "data-key": key, class: RUN_WORDS.includes(key) ? null : "number" }, el("button", { type: "button", click: sort }, title));
  }));
  view.append(el("h2", { class: "name" }, "Runs"),
    el("div", { class: "controls" }, el("label", {}, "Search", search), env, agent, status), failures, count,
    el("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "Runs" },
      el("table", { class: "stacked pairs" }, el("thead", {}, head), body)), more, differences);

  const matches = (run) => {
    const settings = board.overview.settings[run.settings];
    const words = runState.text.toLowerCase().split(/\s+/).filter(Boolean);
    const all = `${run.id} ${run.agent} ${run.env} seed ${run.seed} ${run.status} ${run.error || ""} ${run.isa || ""}`.toLowerCase();
    const word = (text) => {
      const [key, value] = text.split("=");
      if (value === undefined) return all.includes(text);
      return key in settings && settings[key].toLowerCase().startsWith(value);
    };
    return (!runState.env || run.env === runState.env) && (!runState.agent || run.agent === runState.agent)
      && (!runState.status || run.status === runState.status) && words.every(word);
  };

  const show = () => {
    const { overview } = board;
    const distinct = (key) => [["", "all"], ...[...new Set(overview.runs.map((run) => run[key]))].map((x) => [x, x])];
    setOptions(env.querySelector("select"), distinct("env"), runState.env);
    setOptions(agent.querySelector("select"), distinct("agent"), runState.agent);
    setOptions(status.querySelector("select"), distinct("status"), runState.status);
    const found = overview.runs.filter(matches);
    const column = RUN_COLUMNS.find(([, key]) => key === runState.sort);
    if (column) {
      const of = column[2];
      const order = (a, b) => {
        const [x, y] = [of(a), of(b)];
        if (x === y) return 0;
        if (x === null || x === undefined) return 1;
        if (y === null || y === undefined) return -1;
        return (x < y ? -1 : 1) * (runState.down ? -1 : 1);
      };
      found.sort(order);
    }
    head.querySelectorAll("th[data-key]").forEach((cell) => {
      const own = cell.dataset.key === runState.sort;
      cell.setAttribute("aria-sort", own ? (runState.down ? "descending" : "ascending") : "none");
    });
    count.textContent = `${found.length} of ${overview.runs.length} runs`;
    const focused = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.run : null;
    body.replaceChildren(...found.slice(0, runState.most).map(row));
    if (focused) {
      const again = body.querySelector(`input[data-run="${CSS.escape(focused)}"]`);
      if (again) again.focus();
    }
    more.hidden = found.length <= runState.most;
    failures.replaceChildren(...failed(overview));
    differences.replaceChildren(...difference());
  };

  const row = (run) => {
    const box = el("input", { type: "checkbox", "data-run": run.id, checked: runState.chosen.includes(run.id),
      "aria-label": `compare ${run.agent} on ${run.env} seed ${run.seed}`,
      change: () => {
        runState.chosen = runState.chosen.filter((id) => id !== run.id);
        if (box.checked) runState.chosen = [...runState.chosen.slice(-1), run.id];
        show();
      } });
    const cell = (title, text, kind) => el("td", { class: kind, "data-head": title }, text);
    const warned = run.warnings.length ? `, ${run.warnings.length} warning${run.warnings.length > 1 ? "s" : ""}` : "";
    const state = el("td", { "data-head": "status", title: run.error || run.warnings.join("; ") || null },
      el("span", { class: `status status-${run.status}` }, run.status), warned ? el("span", { class: "wrong" }, warned) : null);
    const bar = el("td", { "data-head": "progress" }, el("progress", { max: 1, value: run.share, "aria-label": `progress of ${run.agent} on ${run.env} seed ${run.seed}` }));
    return el("tr", {}, el("td", { "data-head": "compare" }, box), cell("agent", board.looks[run.agent].name), cell("environment", run.env),
      cell("seed", run.seed, "number"), state, bar, cell("episodes", short(run.episodes), "number"), cell("steps", short(run.steps), "number"),
      cell("mean of last 100", short(run.recent), "number"), cell("solved at", short(run.solved), "number"),
      cell("time", duration(run.seconds), "number"), cell("left", duration(run.left), "number"));
  };

  const failed = (overview) => {
    const bad = overview.runs.filter((run) => run.status === "failed");
    const warned = overview.runs.filter((run) => run.warnings.length);
    const item = (run, text) => el("li", {}, `${board.looks[run.agent].name} on ${run.env}, seed ${run.seed}: ${text}`);
    const list = [];
    if (bad.length) {
      list.push(el("div", { class: "bad" }, el("strong", {}, `${bad.length} failed`),
        el("ul", {}, bad.slice(0, 20).map((run) => item(run, run.error || "no reason is recorded")))));
    }
    if (warned.length) {
      list.push(el("details", {}, el("summary", {}, `${warned.length} with warnings`),
        el("ul", {}, warned.slice(0, 50).map((run) => item(run, run.warnings.join("; "))))));
    }
    return list;
  };

  const difference = () => {
    const [a, b] = runState.chosen.map((id) => board.overview.runs.find((run) => run.id === id));
    if (!a || !b) return [el("p", { class: "faint" }, "Tick two runs to see what differs between their settings.")];
    const [x, y] = [a, b].map((run) => ({ environment: run.env, agent: run.agent, seed: run.seed, "until solved": String(run.until_solved),
      program: run.program || "–", "instruction set": run.isa || "–", ...board.overview.settings[run.settings] }));
    const keys = [...new Set([...Object.keys(x), ...Object.keys(y)])].filter((key) => x[key] !== y[key]);
    const title = (run) => `${board.looks[run.agent].name}, ${run.env}, seed ${run.seed}`;
    return [el("h2", {}, "What differs"), el("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "What differs" },
      el("table", { id: "differences" }, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "setting"),
        el("th", { scope: "col" }, title(a)), el("th", { scope: "col" }, title(b)))),
      el("tbody", {}, keys.map((key) => el("tr", {}, el("th", { scope: "row" }, key), el("td", { class: "code" }, x[key] ?? "–"),
        el("td", { class: "code" }, y[key] ?? "–")))))),
      keys.length ? null : el("p", {}, "Nothing."), el("p", { class: "faint" }, `Runs ${a.id} and ${b.id}.`)];
  };
  return { name: "runs", title: "Runs", node: view, refresh: show, redraw: () => {} };
}
