// What an agent believes of its world: maps, a slider through training, and the distributions of one state.

const MAPS = [
  ["mean", "best mean", false], ["sigma", "greatest sigma", true],
  ["spread", "greatest spread", true], ["epistemic", "greatest epistemic part", true],
  ["aleatoric", "greatest aleatoric part", true], ["visits", "visits remembered", true],
];

const beliefState = { e: 0, run: "", at: null, layer: 0, chosen: null, i: 0, j: 1, index: null, map: null };

/** A choice of runs that have something to show. */
function runChoice(board, value, chosen) {
  const label = choice("Run", [], value, chosen);
  label.refresh = (current) => {
    const runs = board.overview.runs.filter((run) => run.status !== "pending");
    const name = (run) => `${board.looks[run.agent].name} · ${run.env} · seed ${run.seed} (${run.status})`;
    const known = isLive ? runs : runs.filter((run) => frozen.answers[address("beliefs", { e: board.e, run: run.id })]);
    const list = known.map((run) => [run.id, name(run)]);
    // At first one that was watched, and that is uncertain of something.
    const rank = (run) => (run.watched.length ? 2 : 0) + (run.start_sigma > 0 ? 1 : 0);
    const best = known.reduce((found, run) => (!found || rank(run) > rank(found) ? run : found), null);
    const found = known.some((run) => run.id === current) ? current : (best ? best.id : "");
    setOptions(label.querySelector("select"), list, found);
    return found;
  };
  return label;
}

function beliefsView(board) {
  const view = el("section", { class: "view" });
  const run = runChoice(board, "", (id) => { Object.assign(beliefState, { run: id, at: null, chosen: null, layer: 0 }); load(); });
  const slider = el("input", { type: "range", min: 0, max: 0, step: 1, value: 0, input: () => { pick(Number(slider.value)); } });
  const moment = el("output", { class: "faint" });
  const layer = choice("Layer", [[0, "all"]], 0, (value) => { beliefState.layer = Number(value); show(); });
  const across = choice("across", [], 0, (value) => { beliefState.i = Number(value); slice(); });
  const up = choice("up", [], 1, (value) => { beliefState.j = Number(value); slice(); });
  const again = el("button", { type: "button", click: () => load() }, "Look again");
  const maps = el("div", { class: "maps" });
  const state = el("div", { class: "panel" });
  const remark = el("p", { class: "faint", role: "status" });
  const sliding = el("label", {}, "Training", slider, moment);
  view.append(el("h2", { class: "name" }, "Beliefs"), el("div", { class: "controls" }, run, sliding, layer, across, up, isLive ? again : null),
    remark, maps, state);

  const moments = () => {
    const { index } = beliefState;
    if (!index) return [];
    const list = index.moments.map((known) => ({ ...known }));
    if (index.checkpoint && index.kind === "states" && isLive) list.push({ episode: null, source: "checkpoint" });
    return list;
  };

  const load = async () => {
    beliefState.run = run.refresh(beliefState.run);
    if (!beliefState.run) {
      beliefState.map = null;
      maps.replaceChildren(); state.replaceChildren();
      [sliding, layer, across, up].forEach((part) => { part.hidden = true; });
      remark.textContent = isLive ? "No run has begun yet." : "No run of this report was watched: name episodes under `watch` in the experiment file.";
      return;
    }
    try {
      // What is asked next is of the experiment that the run is of, whichever is chosen meanwhile.
      const { e } = board;
      const { run: asked } = beliefState;
      beliefState.e = e;
      const index = await ask("beliefs", { e, run: asked });
      if (beliefState.e !== e || beliefState.run !== asked) return;
      beliefState.index = index;
      const box = index.kind === "box";
      [across, up].forEach((part) => { part.hidden = !box; });
      [sliding, layer].forEach((part) => { part.hidden = box; });
      if (box) {
        const names = index.dimensions.map((name, at) => [at, name]);
        if (beliefState.i >= names.length || beliefState.j >= names.length) Object.assign(beliefState, { i: 0, j: 1 });
        setOptions(across.querySelector("select"), names, beliefState.i);
        setOptions(up.querySelector("select"), names, beliefState.j);
        await slice();
        return;
      }
      const list = moments();
      if (!list.length) {
        maps.replaceChildren(); state.replaceChildren();
        remark.textContent = index.kind === "none" ? "The states of this environment cannot be listed."
          : "Nothing to see yet: the first checkpoint has not been made.";
        return;
      }
      slider.max = list.length - 1;
      slider.disabled = list.length < 2;
      const at = beliefState.at === null || beliefState.at >= list.length - 1 ? list.length - 1 : beliefState.at;
      slider.value = at;
      await pick(at);
    } catch (error) { remark.textContent = error.message; maps.replaceChildren(); state.replaceChildren(); }
  };

  const pick = async (at) => {
    const list = moments();
    beliefState.at = at;
    const known = list[at];
    if (!known) return;
    const question = { e: beliefState.e, run: beliefState.run, episode: known.episode === null ? "now" : known.episode };
    try {
      const map = await ask("belief", question);
      if (beliefState.at !== at) return;
      beliefState.map = map;
      moment.textContent = `${map.episode === 0 ? "before the first episode" : `after episode ${map.episode}`} (${known.source})`;
      slider.setAttribute("aria-valuetext", moment.textContent);
      remark.textContent = "";
      show();
    } catch (error) { remark.textContent = error.message; }
  };

  const slice = async () => {
    const { i, j } = beliefState;
    if (i === j) { remark.textContent = "Choose two different numbers."; return; }
    try {
      remark.textContent = "Looking …";
      beliefState.map = await ask("slice", { e: beliefState.e, run: beliefState.run, i, j });
      const fixed = beliefState.map.fixed.map((part) => `${part.name} = ${short(part.value)}`).join(", ");
      remark.textContent = `After episode ${beliefState.map.episode}, from the newest checkpoint${fixed ? `; held at what they were on average: ${fixed}` : ""}.`;
      show();
    } catch (error) { remark.textContent = error.message; maps.replaceChildren(); state.replaceChildren(); }
  };

  const show = () => {
    const { map } = beliefState;
    if (!map) return;
    if (beliefState.layer >= map.layers.length) beliefState.layer = 0;
    layer.hidden = map.layers.length < 2;
    setOptions(layer.querySelector("select"), map.layers.map((known, at) => [at, known.name]), beliefState.layer);
    const cells = map.layers[beliefState.layer].cells;
    const chosen = beliefState.chosen && cells[beliefState.chosen[0]] ? beliefState.chosen : firstCell(map, cells);
    beliefState.chosen = chosen;
    const drawn = MAPS.filter(([key, , fromZero]) => map[key] && (!fromZero || map[key].some((x) => x > 0)));
    const choose = (row, column) => { beliefState.chosen = [row, column]; show(); };
    const focused = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.map : null;
    maps.replaceChildren(...drawn.map(([key, title, fromZero]) => mapOf(map, cells, key, title, fromZero, chosen, choose)));
    if (focused) { const again = maps.querySelector(`[data-map="${focused}"]`); if (again) again.focus(); }
    state.replaceChildren(...stateOf(board, map, cells, chosen));
  };
  return { name: "beliefs", title: "Beliefs", node: view, refresh: () => load(), redraw: show, live: (event) => event && run.refresh(beliefState.run) };
}

/** The cell where the agent was most often, or the first that holds a state. */
function firstCell(map, cells) {
  let [best, most] = [[0, 0], -1];
  cells.forEach((list, row) => list.forEach((states, column) => {
    const count = states.length ? (map.visits ? cellValue(map, states, "visits") : 0) : -1;
    if (count > most) [best, most] = [[row, column], count];
  }));
  return best;
}

const ARROWS = { left: "←", right: "→", up: "↑", down: "↓", west: "←", east: "→", north: "↑", south: "↓" };

/** An arrow for the action of the best mean, where actions lead somewhere and one is best. */
function arrowOf(map, states) {
  if (states.length !== 1) return "";
  const actions = map.actions.length;
  const means = map.mean.slice(states[0] * actions, (states[0] + 1) * actions);
  const best = Math.max(...means);
  if (means.filter((mean) => mean === best).length !== 1) return "";
  return ARROWS[map.actions[means.indexOf(best)]] || "";
}

/** Cells of no more than this many in a row have their numbers written into them. */
const MOST_WRITTEN = 10;

/** What a cell shows: over its states the mean of the best mean, or of the greatest uncertainty. */
function cellValue(map, states, key) {
  if (!states.length) return null;
  const actions = map.actions.length;
  if (key === "visits") return states.reduce((sum, state) => sum + (map.visits[state] || 0), 0);
  const of = (state) => Math.max(...map[key].slice(state * actions, (state + 1) * actions));
  return states.reduce((sum, state) => sum + of(state), 0) / states.length;
}

function mapOf(map, cells, key, title, fromZero, chosen, choose) {
  const columns = cells[0] ? cells[0].length : 0;
  const values = cells.map((row) => row.map((states) => cellValue(map, states, key)));
  const known = values.flat().filter((x) => x !== null);
  const low = fromZero ? 0 : Math.min(...known);
  const high = Math.max(...known, low + 1e-9);
  const written = columns <= MOST_WRITTEN;
  const picture = (written ? writtenMap : paintedMap)(map, cells, values, key, low, high, choose);
  const [row, column] = chosen;
  // Room for the frame of the chosen cell, where the drawing does not have to match a picture under it.
  const room = written ? 0.1 : 0;
  const view = `${-room} ${-room} ${columns + 2 * room} ${cells.length + 2 * room}`;
  const drawn = draw("svg", { viewBox: view, "aria-hidden": "true" }, written ? picture : [],
    draw("rect", { class: "chosen", x: column + 0.05, y: row + 0.05, width: 0.9, height: 0.9 }));
  const box = el("div", { class: "drawing", tabindex: 0, "data-map": key, role: "application",
    "aria-label": `${describe(map, values, title)} Arrow keys choose a cell; its numbers stand below.`,
    keydown: (event) => {
      const moves = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
      const move = moves[event.key];
      if (!move) return;
      event.preventDefault();
      const [down, along] = [row + move[0], column + move[1]];
      if (cells[down] && cells[down][along] && cells[down][along].length) choose(down, along);
    } }, written ? null : picture, drawn);
  // Cells of at most 4.5 rem: small worlds do not fill the page.
  box.style.maxWidth = `${4.5 * columns}rem`;
  const steps = Array.from({ length: 32 }, (_, at) => draw("rect", { x: at, y: 0, width: 1.1, height: 4, fill: heat(at / 31) }));
  return el("figure", { class: columns > 12 * cells.length ? "map panel strip" : "map panel" }, el("h3", {}, title), box,
    el("div", { class: "scale" }, short(low), draw("svg", { viewBox: "0 0 32 4", preserveAspectRatio: "none", "aria-hidden": "true" }, steps), short(high)),
    el("figcaption", {}, axesOf(map, columns)), written ? null : mapTable(map, values, title));
}

/** Where a cell lies, in words. */
function placeOf(map, row, column) {
  return map.xs ? `${map.across} ${short(map.xs[column])}, ${map.down} ${short(map.ys[row])}` : `row ${row}, column ${column}`;
}

/** A map in a sentence: how large it is, and where it is lowest and highest. */
function describe(map, values, title) {
  let [least, most] = [null, null];
  values.forEach((list, row) => list.forEach((value, column) => {
    if (value === null) return;
    if (!least || value < least[0]) least = [value, row, column];
    if (!most || value > most[0]) most = [value, row, column];
  }));
  const size = `${title}, ${values.length} by ${values[0] ? values[0].length : 0} cells`;
  if (!least) return `${size}.`;
  const at = ([value, row, column]) => `${short(value)} at ${placeOf(map, row, column)}`;
  return least[0] === most[0] ? `${size}, ${short(most[0])} everywhere.` : `${size}: from ${at(least)} to ${at(most)}.`;
}

/** A small map: every cell is an element, with its number written into it. */
function writtenMap(map, cells, values, key, low, high, choose) {
  const parts = [];
  values.forEach((list, row) => list.forEach((value, column) => {
    if (value === null) return;
    const share = (value - low) / (high - low);
    parts.push(draw("rect", { class: "cell", x: column, y: row, width: 1.02, height: 1.02, fill: heat(share), click: () => choose(row, column) },
      draw("title", {}, `${placeOf(map, row, column)}: ${short(value)}`)));
    const text = (y, size, words) => parts.push(draw("text", { class: share > 0.55 ? "on-light" : "on-dark", x: column + 0.5, y: row + y,
      "font-size": size, "text-anchor": "middle" }, words));
    const arrow = key === "mean" ? arrowOf(map, cells[row][column]) : "";
    text(arrow ? 0.84 : 0.6, 0.27, brief(value, Math.max(Math.abs(low), Math.abs(high))));
    if (arrow) text(0.52, 0.46, arrow);
  }));
  return parts;
}

/** A large map: one picture with a pixel a cell, which takes neither a second to draw nor a thousand elements. */
function paintedMap(map, cells, values, key, low, high, choose) {
  const [rows, columns] = [values.length, values[0] ? values[0].length : 0];
  const canvas = el("canvas", { width: columns, height: rows, "aria-hidden": "true" });
  const pen = canvas.getContext("2d");
  values.forEach((list, row) => list.forEach((value, column) => {
    if (value === null) return;
    pen.fillStyle = heat((value - low) / (high - low));
    pen.fillRect(column, row, 1, 1);
  }));
  const cellAt = (event) => {
    const { left, top, width, height } = canvas.getBoundingClientRect();
    const at = (share, count) => Math.min(Math.max(Math.floor(share * count), 0), count - 1);
    return [at((event.clientY - top) / height, rows), at((event.clientX - left) / width, columns)];
  };
  canvas.addEventListener("click", (event) => {
    const [row, column] = cellAt(event);
    if (cells[row][column].length) choose(row, column);
  });
  canvas.addEventListener("pointermove", (event) => {
    const [row, column] = cellAt(event);
    const value = values[row][column];
    canvas.title = value === null ? "" : `${placeOf(map, row, column)}: ${short(value)}`;
  });
  return canvas;
}

/** Rows and columns of a table beside a map, at most: it stands in a narrow place. */
const [MOST_ROWS, MOST_COLUMNS] = [8, 5];

/** A large map as a table: where it has more rows or columns than can be read, some of them at equal distances. */
function mapTable(map, values, title) {
  const some = (count, most) => {
    const shown = Math.min(count, most);
    return Array.from({ length: shown }, (_, at) => (shown < 2 ? 0 : Math.round((at * (count - 1)) / (shown - 1))));
  };
  const [rows, columns] = [some(values.length, MOST_ROWS), some(values[0] ? values[0].length : 0, MOST_COLUMNS)];
  const name = (at, list) => (list ? short(list[at]) : String(at));
  const [across, down] = map.xs ? [map.across, map.down] : ["column", "row"];
  const make = () => el("div", { class: "wide", tabindex: 0, role: "region", "aria-label": `Numbers: ${title}` }, el("table", {},
    el("caption", {}, `${title} by ${down} (a line each) and ${across} (a column each)`),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, down), columns.map((column) => el("th", { scope: "col", class: "number" }, name(column, map.xs))))),
    el("tbody", {}, rows.map((row) => el("tr", {}, el("th", { scope: "row" }, name(row, map.ys)),
      columns.map((column) => el("td", { class: "number" }, values[row][column] === null ? "–" : short(values[row][column]))))))));
  const details = el("details", { toggle: () => { if (details.open && details.childElementCount < 2) details.append(make()); } }, el("summary", {}, "Numbers"));
  return details;
}

/** What lies along the sides of a map. */
function axesOf(map, columns) {
  if (map.xs) {
    const span = (name, list) => `${name} from ${short(Math.min(...list))} to ${short(Math.max(...list))}`;
    return `Across: ${span(map.across, map.xs)}. Up: ${span(map.down, map.ys)}.`;
  }
  if (map.down) return `Across: ${map.across}. Down: ${map.down}.`;
  const wrapped = map.layers[0].cells.length > 1 ? `, ${columns} in a row` : "";
  return `Across: ${map.across}, from 0${wrapped}.`;
}

/** A number that fits into a cell, with as many decimals as the greatest of the map needs. */
function brief(value, greatest) {
  if (value === 0 || (Number.isInteger(value) && Math.abs(value) < 1e5)) return String(value);
  if (greatest >= 1e5 || greatest < 1e-3) return value.toExponential(0);
  const decimals = [100, 10, 0.1, 0.01].findIndex((size) => greatest >= size);
  return value.toFixed(decimals < 0 ? 4 : decimals);
}

/** The chosen state: the return distribution of each action, and how probably it is taken. */
function stateOf(board, map, cells, [row, column]) {
  const states = (cells[row] && cells[row][column]) || [];
  if (!states.length) return [];
  const state = states[0];
  const actions = map.actions.length;
  const at = (key, action) => map[key][state * actions + action];
  const views = map.actions.map((name, action) => ({ name, mean: at("mean", action), sigma: at("sigma", action),
    spread: at("spread", action), probability: at("probability", action) }));
  const where = map.xs ? `${map.across} ${short(map.xs[column])}, ${map.down} ${short(map.ys[row])}` : `state ${state}`;
  const several = states.length > 1 ? ` (the first of ${states.length} in this cell; choose a layer for the others)` : "";
  // An uncertainty that the agent does not have is 0 all along: that is no number.
  const has = (key) => map[key].some((x) => x > 0);
  const [sigmas, spreads] = [has("sigma"), has("spread")];
  const best = Math.max(...views.map((view) => view.mean));
  const cell = (text, head) => el("td", { class: "number", "data-head": head }, text);
  const table = el("table", { class: "stacked" }, el("thead", {}, el("tr", {}, ["action", "mean", "sigma", "spread", "chosen with probability"]
    .map((text, at) => el("th", { scope: "col", class: at > 0 && at < 4 ? "number" : null }, text)))),
  el("tbody", {}, views.map((view) => el("tr", {}, el("th", { scope: "row" }, view.mean === best ? `${view.name} (best mean)` : view.name),
    cell(short(view.mean), "mean"), cell(sigmas ? short(view.sigma) : "–", "sigma"), cell(spreads ? short(view.spread) : "–", "spread"),
    el("td", { "data-head": "probability" }, el("progress", { max: 1, value: view.probability, "aria-label": `probability of ${view.name}` }),
      ` ${short(view.probability)}`)))));
  const words = sigmas || spreads
    ? "Curves: normal distributions with the mean and √(sigma² + spread²) of each action; an upright line is a belief without any uncertainty."
    : "This agent has no uncertainty: an upright line is its belief.";
  return [el("h3", { "aria-live": "polite" }, `${where}${several}`), el("div", { class: "beside" }, density(views), el("div", {}, table,
    el("p", { class: "faint" }, el("small", {}, words))))];
}

const ACTION_COLOURS = [["#0072b2", "#6fb7e6"], ["#d55e00", "#f39a5b"], ["#009e73", "#4fd0a9"], ["#cc79a7", "#e3a9c8"], ["#e69f00", "#f2c14e"], ["#56b4e9", "#9bd3f5"]];

function density(views) {
  const narrow = innerWidth < 640;
  const [width, height, foot] = [narrow ? 340 : 560, 204, 42];
  const columns = narrow ? 2 : 3;
  const deviation = (view) => Math.hypot(view.sigma, view.spread);
  const from = Math.min(...views.map((view) => view.mean - 3.2 * deviation(view)));
  const to = Math.max(...views.map((view) => view.mean + 3.2 * deviation(view)));
  const room = to > from ? 0 : 1;
  const [low, high] = [from - room, to + room];
  const x = (value) => 10 + ((value - low) / (high - low)) * (width - 20);
  const peak = Math.max(...views.filter((view) => deviation(view) > 0).map((view) => 1 / deviation(view)), 1e-12);
  const svg = draw("svg", { class: "density", viewBox: `0 0 ${width} ${height + 18 * Math.ceil(views.length / columns)}`, role: "img", width: "100%",
    "aria-label": `Return distribution of each action: ${views.map((view) => `${view.name} ${short(view.mean)} ± ${short(deviation(view))}`).join("; ")}` });
  svg.append(draw("line", { class: "rule", x1: 10, x2: width - 10, y1: height - foot, y2: height - foot }));
  for (let step = 0; step <= 4; step += 1) {
    const value = low + (step / 4) * (high - low);
    svg.append(draw("text", { x: x(value), y: height - foot + 16, "text-anchor": step === 0 ? "start" : step === 4 ? "end" : "middle" }, short(value)));
  }
  svg.append(draw("text", { x: width / 2, y: height - 10, "text-anchor": "middle" }, "return"));
  views.forEach((view, action) => {
    const colour = ACTION_COLOURS[action % ACTION_COLOURS.length][isDark() ? 1 : 0];
    const sd = deviation(view);
    if (sd > 0) {
      const points = Array.from({ length: 81 }, (_, at) => {
        const z = -3.2 + (6.4 * at) / 80;
        const y = height - foot - (height - foot - 10) * (Math.exp(-0.5 * z * z) / sd / peak);
        return `${x(view.mean + z * sd).toFixed(1)},${y.toFixed(1)}`;
      });
      svg.append(draw("polyline", { points: points.join(" "), fill: "none", stroke: colour, "stroke-width": 2 }));
    } else {
      svg.append(draw("line", { x1: x(view.mean), x2: x(view.mean), y1: 10, y2: height - foot, stroke: colour, "stroke-width": 3 }));
    }
    const [left, top] = [10 + (action % columns) * (width / columns), height + 12 + 18 * Math.floor(action / columns)];
    svg.append(draw("rect", { x: left, y: top - 8, width: 14, height: 4, fill: colour }), draw("text", { x: left + 20, y: top }, view.name));
  });
  return svg;
}
