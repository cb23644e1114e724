// Two agents side by side.

const compareState = { a: "", b: "" };

function compareView(board) {
  const view = el("section", { class: "view" });
  const a = choice("Agent", [], "", (value) => { compareState.a = value; load(); });
  const b = choice("against", [], "", (value) => { compareState.b = value; load(); });
  const place = el("div");
  view.append(el("h2", { class: "name" }, "Compare"), el("div", { class: "controls" }, a, b), place);
  const load = async () => {
    const agents = board.overview.agents.map((agent) => [agent.id, agent.name]);
    if (agents.length < 2) { place.replaceChildren(el("p", { class: "faint" }, "There is only one agent: nothing to compare.")); return; }
    const known = (id) => agents.some(([agent]) => agent === id);
    if (!known(compareState.a)) compareState.a = agents[agents.length - 1][0];
    if (!known(compareState.b) || compareState.b === compareState.a) compareState.b = agents.find(([id]) => id !== compareState.a)[0];
    setOptions(a.querySelector("select"), agents, compareState.a);
    setOptions(b.querySelector("select"), agents, compareState.b);
    try {
      show(await ask("compare", { e: board.e, a: compareState.a, b: compareState.b }));
    } catch (error) { place.replaceChildren(el("p", { class: "faint" }, error.message)); }
  };
  const show = (answer) => {
    const [x, y] = [board.looks[answer.a].name, board.looks[answer.b].name];
    if (!answer.rows.length) { place.replaceChildren(el("p", { class: "faint" }, "The two have no task in common.")); return; }
    const few = answer.rows.some((row) => row.few);
    const head = ["task", `runs of ${x}`, `runs of ${y}`, `mean return of ${x}`, `of ${y}`, "difference", `P(${x} above ${y})`];
    const side = (part) => {
      const failed = part.failed ? `, ${part.failed} failed` : "";
      return `${part.runs} of ${part.planned}, ${part.solved} solved${failed}`;
    };
    const mean = (part) => (part.stopped ? "ends when solved" : withInterval(part.mean));
    const row = (known) => el("tr", {}, [known.env, side(known.a), side(known.b), mean(known.a), mean(known.b), withInterval(known.difference),
      withInterval(known.probability)].map((text, at) => el("td", { class: at > 2 ? "number" : null, "data-head": head[at] }, text)));
    const overall = answer.probability ? el("p", {}, `Over ${answer.tasks} task${answer.tasks > 1 ? "s" : ""}, a run of ${x} ends above a run of ${y} with probability `,
      el("strong", {}, withInterval(answer.probability)), ".") : el("p", { class: "faint" }, "Too few finished runs to compare returns.");
    const parts = [overall];
    if (few) {
      parts.push(el("p", { class: "note" }, `Fewer than ${answer.fewest} runs of one of them are over on some task: no interval is given there, and a difference may be chance.`));
    }
    parts.push(el("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "Comparison by task" }, el("table", { class: "stacked", id: "comparison" },
      el("thead", {}, el("tr", {}, head.map((text, at) => el("th", { scope: "col", class: at > 2 ? "number" : null }, text)))), el("tbody", {}, answer.rows.map(row)))));
    const shown = answer.rows.filter((known) => known.difference && known.difference.estimate !== null);
    if (shown.length) parts.push(el("h3", {}, `How much higher the mean return of ${x} is, with its 95 % interval`), whiskers(shown));
    const chart = el("div", { class: "chart" });
    if (answer.profile) {
      const line = (part) => {
        const look = board.looks[part.agent];
        return { key: part.agent, name: look.name, colour: isDark() ? look.dark : look.colour, dash: look.dash, y: part.y, low: part.low, high: part.high };
      };
      const drawn = { title: "Performance profile", x: answer.profile.x, lines: answer.profile.agents.map(line), xLabel: "score τ",
        yLabel: "share of runs at τ or above", threshold: null, range: [-0.03, 1.03] };
      parts.push(el("article", { class: "panel" }, el("h3", {}, "Performance profile"), chart, el("p", { class: "at", "aria-live": "polite" }),
        legend(drawn, () => load()), el("p", { class: "faint" }, el("small", {}, "A score is 1 at the task’s threshold (or the best run) and 0 at the worst run, or at a return of 0.")),
        chartTable(drawn)));
      place.replaceChildren(...parts);
      drawChart(chart, drawn);
      return;
    }
    place.replaceChildren(...parts);
  };
  // Intervals are drawn anew from all runs: while a sweep goes on, now and then is enough.
  return { name: "compare", title: "Compare", node: view, refresh: load, redraw: load, live: atMost(5000, load) };
}

/** Differences with their intervals: on one axis where they are of one size, else each on its own. */
function whiskers(rows) {
  const ends = ({ difference: { estimate, low, high } }) => [low ?? estimate, high ?? estimate, estimate, 0];
  const widths = rows.map((row) => Math.max(...ends(row)) - Math.min(...ends(row))).filter((width) => width > 0);
  const alike = widths.length > 0 && Math.max(...widths) <= 10 * Math.min(...widths);
  const scale = (values) => {
    const [from, to] = [Math.min(...values), Math.max(...values)];
    const room = 0.08 * (to - from) || 1;
    return { from: from - room, to: to + room, x: (value) => 4 + ((value - from + room) / (to - from + 2 * room)) * 292 };
  };
  const shared = scale(rows.flatMap(ends));
  const parts = rows.map((row) => whisker(row, alike ? shared : scale(ends(row))));
  if (alike) {
    const far = (value) => Math.abs(shared.x(value) - shared.x(0)) > 50;
    const at = [[shared.from, "start"], [shared.to, "end"]].filter(([value]) => far(value)).concat([[0, "middle"]]);
    parts.push(el("div", { class: "whiskers axis", "aria-hidden": "true" }, el("span"), draw("svg", { viewBox: "0 0 300 16" },
      draw("line", { class: "rule", x1: 4, x2: 296, y1: 1, y2: 1 }),
      at.map(([value, anchor]) => draw("text", { class: "soft", x: shared.x(value), y: 13, "text-anchor": anchor }, short(value)))), el("span")));
  } else parts.push(el("p", { class: "faint" }, el("small", {}, "Each task has an axis of its own; the dashed line is at 0.")));
  return el("div", { class: "all-whiskers" }, parts);
}

function whisker(known, { x }) {
  const { estimate, low, high } = known.difference;
  const svg = draw("svg", { viewBox: "0 0 300 24", "aria-hidden": "true" },
    draw("line", { class: "zero", x1: x(0), x2: x(0), y1: 1, y2: 23, "stroke-dasharray": "3 3" }));
  if (low !== null && high !== null) svg.append(draw("line", { class: "whisker", x1: x(low), x2: x(high), y1: 12, y2: 12 }));
  svg.append(draw("circle", { class: "meter", cx: x(estimate), cy: 12, r: 4.5 }));
  return el("div", { class: "whiskers" }, el("span", {}, known.env), svg, el("span", { class: "faint" }, withInterval(known.difference)));
}
