// Learning curves of every task.

const METRICS = [
  ["return", "return"], ["length", "episode length"], ["loss", "loss"], ["value", "believed value"],
  ["bias", "believed value less earned return"], ["sigma", "sigma (return)"], ["spread", "spread (parameters)"],
];

const curveState = { metric: "return", x: "budget", centre: "mean", smooth: 0, logX: false, logY: false, seeds: false, task: "all" };

/** A moving average that leaves gaps as they are. */
function smoothed(list, weight) {
  if (!weight || !list) return list;
  let last = null;
  return list.map((y) => {
    if (y === null) return null;
    last = last === null ? y : weight * last + (1 - weight) * y;
    return last;
  });
}

function curvesView(board) {
  const view = el("section", { class: "view" });
  const panels = el("div", { class: "panels" });
  const caution = el("p", { class: "note", hidden: true });
  const redraw = () => { for (const panel of panels.children) showCurves(panel); };
  const reload = () => { for (const panel of panels.children) loadCurves(board, panel); };
  const set = (key, again) => (value) => { curveState[key] = value; again(); };
  const range = el("input", { type: "range", min: 0, max: 0.98, step: 0.02, value: 0,
    input: () => { curveState.smooth = Number(range.value); redraw(); } });
  const tasks = choice("Task", [["all", "all"]], "all", set("task", () => arrange()));
  view.append(
    el("h2", { class: "name" }, "Curves"),
    el("div", { class: "controls" }, tasks,
      choice("Show", METRICS, "return", set("metric", reload)),
      choice("over", [["budget", "as planned"], ["episodes", "episodes"], ["steps", "environment steps"]], "budget",
        set("x", reload)),
      choice("Middle", [["mean", "mean"], ["iqm", "interquartile mean"]], "mean", set("centre", reload)),
      el("label", {}, "Smoothing", range),
      tick("log x", false, set("logX", redraw)), tick("log y", false, set("logY", redraw)),
      tick("single seeds", false, set("seeds", reload))),
    caution, panels);
  const arrange = () => {
    const wanted = board.overview.tasks.map((task, at) => [task, at])
      .filter(([, at]) => curveState.task === "all" || String(at) === curveState.task);
    setOptions(tasks.querySelector("select"), [["all", "all"], ...board.overview.tasks.map((task, at) => [at, task.panel || task.env])],
      curveState.task);
    const key = wanted.map(([task, at]) => `${board.e} ${at} ${task.env}`).join("|");
    if (panels.dataset.key !== key) {
      panels.dataset.key = key;
      panels.replaceChildren(...wanted.map(([task, at]) => curvePanel(task, at, redraw)));
    }
    reload();
  };
  const fewest = board.overview.fewest;
  return {
    name: "curves", title: "Curves", node: view, redraw,
    refresh: () => {
      const few = board.overview.tasks.some((task, at) => task.agents.some((agent) =>
        board.overview.runs.filter((run) => run.task === at && run.agent === agent).length < fewest));
      caution.hidden = !few;
      caution.textContent = `Some agents have fewer than ${fewest} seeds: their curves have no band, because none would hold what it says. `
        + "Do not read a ranking into so few runs.";
      arrange();
    },
  };
}

function curvePanel(task, at, toggled) {
  const panel = el("article", { class: "panel", "data-task": at },
    el("h3", {}, task.panel || task.env), el("div", { class: "chart" }), el("p", { class: "at", "aria-live": "polite" }),
    el("div", { class: "under" }));
  panel.task = task;
  panel.toggled = toggled;
  return panel;
}

async function loadCurves(board, panel) {
  const { metric, centre, seeds } = curveState;
  const x = curveState.x === "budget" ? panel.task.unit : curveState.x;
  const question = { e: board.e, task: panel.dataset.task, metric, x, centre, seeds: seeds ? 1 : 0 };
  const key = address("curves", question);
  panel.asked = key;
  try {
    const answer = await ask("curves", question);
    if (panel.asked !== key) return;
    panel.answer = answer;
    panel.board = board;
    showCurves(panel);
  } catch (error) {
    if (panel.asked !== key) return;
    panel.answer = null;
    panel.querySelector(".chart").replaceChildren(el("p", { class: "faint" }, error.message));
    panel.querySelector(".under").replaceChildren();
  }
}

function showCurves(panel) {
  const { answer, board } = panel;
  if (!answer) return;
  const weight = curveState.smooth;
  const lines = answer.agents.map((agent) => {
    const look = board.looks[agent.agent];
    return {
      key: agent.agent, name: look.name, colour: isDark() ? look.dark : look.colour, dash: look.dash, n: agent.n,
      y: smoothed(agent.y, weight), low: smoothed(agent.low, weight), high: smoothed(agent.high, weight),
      seeds: (curveState.seeds ? agent.seeds : []).map((seed) => ({ ...seed, y: smoothed(seed.y, weight) })),
    };
  });
  const chart = {
    title: panel.task.panel || panel.task.env, x: answer.x, lines, xLabel: answer.unit === "steps" ? "environment steps" : "episodes",
    yLabel: METRICS.find(([name]) => name === answer.metric)[1], threshold: answer.threshold, logX: curveState.logX, logY: curveState.logY,
  };
  const place = panel.querySelector(".chart");
  const under = panel.querySelector(".under");
  if (!lines.length) {
    place.replaceChildren(el("p", { class: "faint" }, nothing(answer.metric)));
    under.replaceChildren();
    return;
  }
  const open = under.querySelector("details") && under.querySelector("details").open;
  drawChart(place, chart);
  const table = chartTable(chart);
  const key = under.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  under.replaceChildren(legend(chart, panel.toggled), el("p", { class: "faint" }, el("small", {}, `${answer.label}${chart.threshold === null || chart.threshold === undefined ? "" : "; dashed: where the task counts as solved"}`)), table);
  table.open = Boolean(open);
  const again = key ? under.querySelector(`button[data-key="${CSS.escape(key)}"]`) : null;
  if (again) again.focus();
}

function nothing(metric) {
  if (metric === "sigma" || metric === "spread") return "No agent here has this uncertainty.";
  return "Nothing is recorded yet. Curves begin with the first finished episode.";
}
