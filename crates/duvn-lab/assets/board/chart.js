// Curves with bands, drawn by uPlot, with a legend of buttons, hover values, zoom, and the keyboard.

const hidden = new Set();

/** Draws curves into `place`; `chart.lines` are { key, name, colour, dash, y, low, high, n }. */
function drawChart(place, chart) {
  const data = [chart.x];
  const series = [{ label: chart.xLabel }];
  const bands = [];
  const push = (values, options) => { data.push(values); series.push(options); return series.length - 1; };
  for (const line of chart.lines) {
    const show = !hidden.has(line.key);
    if (line.low && line.low.some((x) => x !== null)) {
      const edge = { show, stroke: "transparent", width: 0, points: { show: false }, key: line.key };
      const high = push(line.high, { ...edge, label: `${line.name}, upper end` });
      const low = push(line.low, { ...edge, label: `${line.name}, lower end` });
      bands.push({ series: [high, low], fill: faded(line.colour, 0.14) });
    }
    for (const seed of line.seeds || []) {
      push(seed.y, { show, key: line.key, label: `${line.name} seed ${seed.seed}`, stroke: faded(line.colour, 0.45), width: 1,
        points: { show: false } });
    }
    push(line.y, { show, key: line.key, label: line.name, stroke: line.colour, width: 2.2, dash: dashes(line.dash),
      points: { show: line.y.filter((x) => x !== null).length === 1 } });
  }
  if (chart.threshold !== null && chart.threshold !== undefined) {
    push(chart.x.map(() => chart.threshold), { label: "solved", stroke: ink("faint"), width: 1, dash: [4, 4], points: { show: false } });
  }
  const axis = (label, side) => ({
    label, side, stroke: ink("ink"), labelSize: 22, labelFont: "13px system-ui", font: "12px system-ui", size: side === 3 ? 62 : 32,
    grid: { stroke: ink("grid"), width: 1 }, ticks: { stroke: ink("line"), width: 1 },
    values: (_, splits) => splits.map((x) => (x === null ? "" : short(x).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, ""))),
  });
  const options = {
    width: Math.max(place.clientWidth, 200), height: chart.height || 280, legend: { show: false },
    cursor: { drag: { x: true, y: true, uni: 30 }, points: { size: 7 } },
    scales: {
      x: { time: false, distr: chart.logX ? 3 : 1 },
      y: chart.logY ? { distr: positive(data) ? 3 : 4, asinh: 0.01 } : { range: chart.range || padded },
    },
    axes: [axis(chart.xLabel, 2), axis(chart.yLabel, 3)],
    series, bands,
    hooks: {
      setCursor: [(u) => hover(place, place.shown, u.cursor.idx)],
      setSelect: [(u) => { if (u.select.width > 0 || u.select.height > 0) place.zoomed = true; }],
    },
  };
  const from = chart.logX ? chart.x.findIndex((x) => x > 0) : 0;
  const shown = from > 0 ? data.map((list) => list.slice(from)) : data;
  const cleaned = chart.logY && positive(data) ? shown.map((list, at) => (at ? list.map((y) => (y > 0 ? y : null)) : list)) : shown;
  place.shown = chart;
  // New numbers for the same lines: the cursor and the zoom stay where they are.
  const sign = JSON.stringify([isDark(), chart.logX, chart.logY && positive(data), chart.logY, chart.xLabel, chart.yLabel,
    series.map(({ key, label, show, dash }) => [key, label, show, dash])]);
  if (place.chart && place.sign === sign && place.contains(place.chart.root)) {
    place.chart.setData(cleaned, !place.zoomed);
    if (place.zoomed) place.chart.redraw();
    return;
  }
  if (place.chart) place.chart.destroy();
  const box = el("div", { class: "canvas", dblclick: () => { place.zoomed = false; } });
  place.replaceChildren(box);
  const plot = new uPlot(options, cleaned, box);
  box.querySelectorAll("canvas").forEach((canvas) => canvas.setAttribute("aria-hidden", "true"));
  Object.assign(place, { chart: plot, sign, zoomed: false });
  keyboard(place, plot);
  watchSize(place);
}

/** Whether everything that is shown is above zero, so that a logarithm can show it. */
function positive(data) {
  return data.slice(1).every((list) => list.every((y) => y === null || y > 0));
}

function padded(_, low, high) {
  if (low === null || high === null) return [0, 1];
  const room = 0.05 * (high - low) || Math.max(Math.abs(high) * 0.1, 0.1);
  return [low - room, high + room];
}

function dashes(lengths) {
  return lengths && lengths.length ? lengths.map((x) => 2 * x) : undefined;
}

function faded(colour, share) {
  const part = (place) => parseInt(colour.slice(1 + 2 * place, 3 + 2 * place), 16);
  return `rgba(${part(0)}, ${part(1)}, ${part(2)}, ${share})`;
}

const sizes = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const width = Math.max(target.clientWidth, 200);
    if (target.chart && Math.abs(target.chart.width - width) > 1) target.chart.setSize({ width, height: target.chart.height });
  }
});
function watchSize(place) { sizes.observe(place); }

/** The values under the cursor, in the legend and in a sentence. */
function hover(place, chart, at) {
  const list = place.parentElement.querySelector(".legend");
  if (!list) return;
  const index = at === null || at === undefined ? null : at;
  list.querySelectorAll("button").forEach((button) => {
    const line = chart.lines.find((known) => known.key === button.dataset.key);
    button.querySelector(".value").textContent = line ? valueAt(line, index) : "";
  });
  const where = place.parentElement.querySelector(".at");
  if (where) where.textContent = index === null ? "" : `${chart.xLabel} ${short(chart.x[index])}`;
}

function valueAt(line, at) {
  const index = at === null ? line.y.length - 1 : at;
  const last = at === null ? lastKnown(line.y) : index;
  if (last < 0 || line.y[last] === null || line.y[last] === undefined) return "–";
  const part = { estimate: line.y[last], low: line.low ? line.low[last] : null, high: line.high ? line.high[last] : null };
  const count = line.n ? `, n ${line.n[last]}` : "";
  return `${withInterval(part)}${count}`;
}

function lastKnown(list) {
  let at = list.length - 1;
  while (at >= 0 && (list[at] === null || list[at] === undefined)) at -= 1;
  return at;
}

/** The arrows move the cursor from point to point; Home and End go to the ends, Escape leaves. */
function keyboard(place, plot) {
  const { title, xLabel, yLabel, x } = place.shown;
  place.tabIndex = 0;
  place.setAttribute("role", "group");
  place.setAttribute("aria-roledescription", "chart");
  place.setAttribute("aria-label", `${title}: ${yLabel} over ${xLabel}. Left and right arrows read the values.`);
  let at = x.length - 1;
  place.onkeydown = (event) => {
    const chart = place.shown;
    const moves = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: chart.x.length - 1 };
    if (event.key === "Escape") { plot.setCursor({ left: -10, top: -10 }); return; }
    if (!(event.key in moves)) return;
    event.preventDefault();
    at = Math.min(Math.max(moves[event.key], 0), chart.x.length - 1);
    plot.setCursor({ left: plot.valToPos(chart.x[at], "x"), top: plot.height / 3 });
    const spoken = chart.lines.filter((line) => !hidden.has(line.key)).map((line) => `${line.name} ${valueAt(line, at)}`);
    const where = place.parentElement.querySelector(".at");
    if (where) where.textContent = `${chart.xLabel} ${short(chart.x[at])}: ${spoken.join("; ")}`;
  };
}

/** A line as the chart draws it. */
function swatch({ colour, dash }) {
  return draw("svg", { class: "swatch", viewBox: "0 0 30 8", "aria-hidden": "true" },
    draw("line", { x1: 0, x2: 30, y1: 4, y2: 4, stroke: colour, "stroke-width": 3, "stroke-dasharray": (dashes(dash) || []).join(" ") }));
}

/** The legend: a button a line, which hides and shows it in every chart. */
function legend(chart, toggled) {
  const item = (line) => {
    const button = el("button", {
      type: "button", "aria-pressed": String(!hidden.has(line.key)), "data-key": line.key,
      title: "Hide or show this line in every chart",
      click: () => { if (!hidden.delete(line.key)) hidden.add(line.key); toggled(); },
    }, swatch(line), line.name, el("span", { class: "value faint" }, valueAt(line, null)));
    return el("li", {}, button);
  };
  return el("ul", { class: "legend", "aria-label": "Lines" }, chart.lines.map(item));
}

/** The same numbers as a table, for those who cannot see the picture or want to copy them. */
function chartTable(chart) {
  const details = el("details", { toggle: () => { if (details.open && details.children.length === 1) details.append(body()); } },
    el("summary", {}, "Numbers"));
  const body = () => {
    const every = Math.max(1, Math.floor(chart.x.length / 20));
    const rows = chart.x.map((x, at) => [x, at]).filter(([, at]) => at % every === every - 1 || at === chart.x.length - 1);
    return el("div", { class: "wide", tabindex: 0, role: "region", "aria-label": `Numbers of ${chart.title}` }, el("table", {},
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, chart.xLabel),
        chart.lines.map((line) => el("th", { scope: "col" }, line.name)))),
      el("tbody", {}, rows.map(([x, at]) => el("tr", {}, el("td", { class: "number" }, short(x)),
        chart.lines.map((line) => el("td", { class: "number" }, valueAt(line, at))))))));
  };
  return details;
}
