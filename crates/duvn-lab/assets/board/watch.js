// The policy of a run at play.

const watchState = { run: "", policy: "mean", number: 0, script: null, at: 0, playing: false, speed: 10, timer: null };

function watchView(board) {
  const view = el("section", { class: "view" });
  const run = runChoice(board, "", (id) => { watchState.run = id; });
  const policy = choice("Policy", [["mean", "best mean"], ["explore", "explore, as in training"]], "mean", (value) => { watchState.policy = value; });
  const number = el("input", { type: "number", min: 0, max: 9999, value: 0, change: () => { watchState.number = Number(number.value) || 0; } });
  const begin = el("button", { type: "button", id: "watch-begin", click: () => load() }, "Play an episode");
  const toggle = el("button", { type: "button", id: "watch-pause", click: () => { watchState.playing ? pause() : play(); } }, "Pause");
  const step = (by) => () => { pause(); go(watchState.at + by); };
  const back = el("button", { type: "button", click: step(-1) }, "Step back");
  const ahead = el("button", { type: "button", id: "watch-step", click: step(1) }, "Step");
  const place = el("input", { type: "range", min: 0, max: 0, value: 0, input: () => { pause(); go(Number(place.value)); } });
  const pace = el("output", { class: "faint" }, "10 steps a second");
  const speed = el("input", { type: "range", min: 1, max: 60, step: 1, value: 10, input: () => {
    watchState.speed = Number(speed.value);
    pace.textContent = `${watchState.speed} step${watchState.speed > 1 ? "s" : ""} a second`;
    if (watchState.playing) play();
  } });
  const picture = el("img", { alt: "", hidden: true });
  const text = el("pre", { hidden: true });
  const facts = el("p", { role: "status" }, "Choose a run, and see its newest checkpoint play.");
  const values = el("div");
  const player = el("div", { class: "controls", hidden: true }, toggle, back, ahead,
    el("label", {}, "Step of the episode", place), el("label", {}, "Speed", speed, pace));
  view.append(el("h2", { class: "name" }, "Watch"), el("div", { class: "controls" }, run, policy, el("label", {}, "Episode", number), begin), player,
    el("div", { class: "stage" }, el("div", {}, picture, text, facts), values));

  const load = async () => {
    watchState.run = run.querySelector("select").value;
    if (!watchState.run) { facts.textContent = "No run has begun yet."; return; }
    begin.disabled = true;
    facts.textContent = "The agent plays …";
    try {
      watchState.script = await ask("episode", { e: board.e, run: watchState.run, policy: watchState.policy, n: watchState.number });
      player.hidden = false;
      place.max = watchState.script.steps.length - 1;
      go(0);
      play();
    } catch (error) { facts.textContent = error.message; }
    begin.disabled = false;
  };
  const pause = () => { clearInterval(watchState.timer); watchState.playing = false; toggle.textContent = "Play"; };
  const play = () => {
    clearInterval(watchState.timer);
    if (watchState.at >= watchState.script.steps.length - 1) go(0);
    watchState.playing = true;
    toggle.textContent = "Pause";
    watchState.timer = setInterval(() => {
      if (watchState.at >= watchState.script.steps.length - 1) pause(); else go(watchState.at + 1);
    }, 1000 / watchState.speed);
  };
  const go = (at) => {
    const { script } = watchState;
    if (!script) return;
    watchState.at = Math.min(Math.max(at, 0), script.steps.length - 1);
    const now = script.steps[watchState.at];
    place.value = watchState.at;
    picture.hidden = !script.pictures;
    text.hidden = script.pictures;
    if (script.pictures) {
      picture.src = `api/frame?id=${script.id}&t=${now.t}`;
      picture.alt = `${script.env} at step ${now.t}`;
    } else {
      text.textContent = (now.text || "This environment has no picture.").replace(/\x1b\[7m(.)\x1b\[0m/g, "[$1]");
    }
    const action = now.action === null ? "the end" : `takes ${script.actions[now.action]}`;
    facts.textContent = `step ${now.t} of ${script.length}, return ${short(now.return)}, ${action}; trained for ${script.trained} episodes`;
    values.replaceChildren(actionValues(script, now));
  };
  return {
    name: "watch", title: "Watch", node: view, redraw: () => go(watchState.at),
    refresh: () => { watchState.run = run.refresh(watchState.run); }, live: () => run.refresh(watchState.run), leave: () => { if (watchState.playing) pause(); },
  };
}

/** A row an action: its mean with whiskers of sigma and spread, and its probability. */
function actionValues(script, now) {
  const ends = ({ values }) => {
    const all = values.flatMap(([mean, sigma, spread]) => [mean - Math.hypot(sigma, spread), mean + Math.hypot(sigma, spread)]);
    return [Math.min(...all), Math.max(...all)];
  };
  // One width for the whole episode, around what is believed now: actions of one state differ by less than states do.
  const width = script.steps.map(ends).reduce((most, [from, to]) => Math.max(most, to - from), 0);
  const middle = (ends(now)[0] + ends(now)[1]) / 2;
  const [low, high] = [middle - width / 2, middle + width / 2];
  const x = (value) => 6 + ((value - low) / (high - low || 1)) * 188;
  // An uncertainty that the agent does not have is 0 all along: that is no number.
  const has = (at) => script.steps.some((step) => step.values.some((known) => known[at] > 0));
  const [sigmas, spreads] = [has(1), has(2)];
  const row = ([mean, sigma, spread, probability], action) => {
    const sd = Math.hypot(sigma, spread);
    const svg = draw("svg", { class: "belief", viewBox: "0 0 200 16", "aria-hidden": "true" },
      draw("line", { class: "whisker", x1: x(mean - sd), x2: x(mean + sd), y1: 8, y2: 8 }), draw("circle", { class: "meter", cx: x(mean), cy: 8, r: 4 }));
    const own = now.action === action;
    const cell = (text, head) => el("td", { class: "number", "data-head": head }, text);
    return el("tr", { class: own ? "own" : null }, el("th", { scope: "row" }, own ? `▶ ${script.actions[action]}` : script.actions[action]),
      el("td", { "data-head": "belief" }, svg), cell(short(mean), "mean"), cell(sigmas ? short(sigma) : "–", "sigma"),
      cell(spreads ? short(spread) : "–", "spread"), cell(short(probability), "probability"));
  };
  const head = ["action", `belief, from ${short(low)} to ${short(high)}`, "mean", "sigma", "spread", "probability"];
  return el("table", { id: "action-values", class: "stacked" }, el("thead", {}, el("tr", {}, head
    .map((text, at) => el("th", { scope: "col", class: at > 1 ? "number" : null }, text)))), el("tbody", {}, now.values.map(row)));
}
