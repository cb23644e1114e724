// The page: tabs, the state of the experiment, and when to ask again.

const board = { e: 0, overview: null, looks: {}, hello: null };
/** The experiment that was asked for last. */
let wanted = 0;
let views = [];
let shown = null;

function select(name, focus) {
  const found = views.find((view) => view.name === name) || views[0];
  if (shown && shown !== found && shown.leave) shown.leave();
  shown = found;
  for (const view of views) {
    view.node.hidden = view !== found;
    view.tab.setAttribute("aria-selected", String(view === found));
    view.tab.tabIndex = view === found ? 0 : -1;
  }
  if (focus) found.tab.focus();
  history.replaceState(null, "", `#${found.name}`);
  if (found.refresh) found.refresh();
}

function makeTabs() {
  views = [curvesView(board), runsView(board), beliefsView(board)];
  if (isLive) views.push(watchView(board));
  views.push(compareView(board));
  const report = byId("report");
  if (report) views.push({ name: "report", title: "Report", node: report, redraw: () => {} });
  const tabs = byId("tabs");
  tabs.hidden = false;
  views.forEach((view, at) => {
    view.node.id = view.name === "report" ? "report" : `view-${view.name}`;
    view.node.setAttribute("role", "tabpanel");
    view.node.setAttribute("aria-labelledby", `tab-${view.name}`);
    view.tab = el("button", { type: "button", role: "tab", id: `tab-${view.name}`, "aria-controls": view.node.id, click: () => select(view.name),
      keydown: (event) => {
        const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (by) { event.preventDefault(); select(views[(at + by + views.length) % views.length].name, true); }
      } }, view.title);
    tabs.append(view.tab);
    if (view.node.id !== "report") byId("views").append(view.node);
  });
}

/** How far the experiment is, in a line. */
function showStanding() {
  const { standing, seconds_left: left, runs, title, about, note } = board.overview;
  byId("title").textContent = title || board.overview.name;
  document.documentElement.dataset.scripts = "on";
  document.title = `${title || board.overview.name} – duvn`;
  byId("about").textContent = [about, note].filter(Boolean).join(" ");
  byId("standing").hidden = false;
  const share = runs.length ? runs.reduce((sum, run) => sum + run.share, 0) / runs.length : 0;
  byId("progress").value = share;
  const parts = [`${standing.done} of ${standing.planned} runs are done`];
  if (standing.running) parts.push(`${standing.running} running`);
  if (standing.failed) parts.push(`${standing.failed} failed`);
  if (standing.left) parts.push(`${standing.left} left`);
  if (left !== null && standing.running) parts.push(`about ${duration(left)} to go`);
  const text = parts.join(", ");
  if (byId("counts").textContent !== text) byId("counts").textContent = text;
  const control = board.overview.control || {};
  byId("stop").hidden = !control.can_stop;
  byId("resume").hidden = !control.can_resume;
  byId("stop").disabled = Boolean(control.stopping);
  byId("stop").textContent = control.stopping ? "Stopping …" : "Stop the sweep";
}

async function refresh(e = wanted) {
  wanted = e;
  const overview = await ask("overview", { e });
  // Another experiment was chosen meanwhile.
  if (wanted !== e && board.overview) return;
  Object.assign(board, { e, overview });
  board.looks = Object.fromEntries(board.overview.agents.map((agent) => [agent.id, agent]));
  showStanding();
  say(null);
}

/**
 * What has changed is asked for when the server tells of it, but not again for a while, and not while nobody looks. A finished
 * episode is recorded within 0.8 seconds, seen by the server within 0.3 and asked for within 0.6: less than 2 in all.
 */
const follow = atMost(600, async () => {
  if (document.hidden) return;
  await refresh();
  if (shown && shown.live) shown.live(true);
  else if (shown && shown.refresh) await shown.refresh();
});

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  byId("theme").textContent = theme === "dark" ? "Light" : "Dark";
  try { localStorage.setItem("duvn-theme", theme); } catch { /* a page from a file may have no storage */ }
  if (shown) shown.redraw();
}

async function start() {
  const theme = byId("theme");
  theme.hidden = false;
  theme.addEventListener("click", () => setTheme(isDark() ? "light" : "dark"));
  let kept = null;
  try { kept = localStorage.getItem("duvn-theme"); } catch { kept = null; }
  if (kept === "light" || kept === "dark") document.documentElement.dataset.theme = kept;
  theme.textContent = isDark() ? "Light" : "Dark";
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { if (shown) shown.redraw(); });

  const wanted = /^#[a-z]+$/.test(location.hash) ? location.hash.slice(1) : "";
  if (isLive) await enter();
  board.hello = await ask("hello");
  const experiments = byId("experiments");
  setOptions(experiments, board.hello.experiments.map((known) => [known.e, known.title]), 0);
  byId("experiments-label").hidden = board.hello.experiments.length < 2;
  experiments.addEventListener("change", async () => {
    await refresh(Number(experiments.value));
    hidden.clear();
    Object.assign(runState, { env: "", agent: "", status: "", chosen: [] });
    curveState.task = "all";
    if (shown) shown.refresh();
  });
  await refresh();
  makeTabs();
  select(wanted || "curves");
  if (!isLive) return;
  for (const name of ["stop", "resume"]) {
    byId(name).addEventListener("click", async () => {
      byId(name).disabled = true;
      try { await tell(name, { e: board.e }); await refresh(); } catch (error) { say(error); }
      byId(name).disabled = false;
    });
  }
  listen((event) => { if (event.e === board.e || event.e === undefined) follow(); });
  document.addEventListener("visibilitychange", () => { if (!document.hidden) follow(); });
}

start().catch(say);
