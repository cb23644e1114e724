// The dashboard and the report in a real browser: every control is used once, axe-core looks for barriers, and pictures are
// taken at 1400 and 400 pixels, light and dark.
//
//   node run.mjs PATH/TO/duvn FOLDER-FOR-PICTURES
//
// Beside duvn lies examples/recorded, which tells when episodes come into the records.
// Chromium comes from the distribution's packages (CHROMIUM names another), playwright-core and axe-core from npm.

import { chromium } from "playwright-core";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const [duvn, pictures = join(here, "pictures")] = process.argv.slice(2);
const require = createRequire(import.meta.url);
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const executablePath = process.env.CHROMIUM || ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
mkdirSync(pictures, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), "duvn-browser-"));
const children = [];
let failures = 0;

/** Long enough for a machine with two cores that is busy with something else. */
const PATIENCE = 180000;
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];

function check(holds, what) {
  console.log(`${holds ? "ok  " : "FAIL"} ${what}`);
  if (!holds) failures += 1;
}

/** What an action brings about may come a moment later, as the page sees fit: asks again until it is so. */
async function soon(probe, what) {
  let holds = await probe();
  for (const until = Date.now() + PATIENCE / 9; !holds && Date.now() < until; holds = await probe()) {
    await new Promise((resolve) => { setTimeout(resolve, 50); });
  }
  check(holds, what);
}

function duvnDo(...args) {
  const done = spawnSync(duvn, args, { encoding: "utf8", timeout: 4 * PATIENCE });
  if (done.status !== 0) throw new Error(`duvn ${args.join(" ")}: ${done.stderr}`);
  return done.stdout;
}

/** Starts a server and gives what it prints. */
function serve(...args) {
  const child = spawn(duvn, ["serve", ...args, "--json"], { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  return new Promise((resolve, reject) => {
    child.stdout.once("data", (data) => resolve(JSON.parse(String(data))));
    child.once("exit", (code) => reject(new Error(`duvn serve ended with ${code}`)));
  });
}

/** What axe finds that is serious or worse. */
async function barriers(page) {
  // As a script of the test, not of the page: its policy allows none but its own.
  const found = await page.evaluate(`(() => { ${axe}; return window.axe.run(document, { resultTypes: ["violations"] }); })()`);
  return found.violations.filter((one) => ["serious", "critical"].includes(one.impact))
    .map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => `${node.target} ${node.failureSummary || ""}`).join(" | ")}`);
}

async function looks(page, name) {
  const list = await barriers(page);
  check(list.length === 0, `${name}: axe finds nothing serious ${list.join("\n       ")}`);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  check(wide <= 1, `${name}: the page does not scroll sideways (${wide} px)`);
}

/** A page of its own, without what others have left. */
async function open(browser, options) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE);
  return { context, page: await context.newPage() };
}

/** What goes wrong on a page from now on. */
function complaints(page) {
  const errors = [];
  page.on("console", (message) => { if (message.type() === "error") errors.push(message.text()); });
  page.on("pageerror", (error) => errors.push(String(error)));
  return errors;
}

async function picture(page, name) {
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
}

async function everyTab(browser, address, name, tabs) {
  for (const [width, height] of [[1400, 900], [400, 800]]) {
    for (const scheme of ["light", "dark"]) {
      const { context, page } = await open(browser, { viewport: { width, height }, colorScheme: scheme, reducedMotion: "reduce" });
      const errors = complaints(page);
      await page.goto(address);
      await page.waitForSelector(".chart canvas");
      for (const tab of tabs) {
        await page.click(`#tab-${tab}`);
        await settle(page, tab);
        await picture(page, `${name}-${tab}-${width}-${scheme}`);
        await looks(page, `${name} ${tab} ${width} ${scheme}`);
      }
      check(errors.length === 0, `${name} ${width} ${scheme}: no errors ${errors.join("; ")}`);
      await context.close();
    }
  }
}

async function settle(page, tab) {
  const wait = (selector) => page.waitForSelector(selector);
  if (tab === "curves") await wait("#view-curves .chart canvas");
  if (tab === "runs") await wait("#view-runs tbody tr");
  if (tab === "beliefs") await wait("#view-beliefs .map svg");
  if (tab === "compare") await wait("#view-compare table");
  if (tab === "watch") {
    await page.click("#watch-begin");
    await wait("#action-values tbody tr");
    await page.click("#watch-pause");
  }
  await page.waitForTimeout(400);
}

async function clicks(browser, address) {
  const { context, page } = await open(browser, { viewport: { width: 1400, height: 900 } });
  const errors = complaints(page);
  await page.goto(address);
  await page.waitForSelector(".chart canvas");
  check(!page.url().includes("token"), "the token is taken out of the address");
  const cookies = await context.cookies();
  check(cookies.length === 1 && cookies[0].httpOnly && cookies[0].sameSite === "Strict", "the cookie is for the server alone");

  const control = (label) => page.locator(".view:not([hidden]) .controls label", { hasText: new RegExp(`^${label}`) }).locator("select, input");
  for (const metric of ["length", "loss", "value", "bias", "sigma", "spread", "return"]) {
    await control("Show").selectOption(metric);
    await page.waitForFunction((m) => [...document.querySelectorAll(".panel")].every((p) => !p.answer || p.answer.metric === m), metric);
    await soon(async () => await page.locator("#view-curves canvas").count() > 0, `curves of ${metric}`);
  }
  for (const x of ["steps", "episodes", "budget"]) {
    await control("over").selectOption(x);
    await page.waitForFunction((unit) => document.querySelector(".panel").answer.unit === unit, x === "budget" ? "episodes" : x);
    check(true, `curves over ${x}`);
  }
  await control("Middle").selectOption("iqm");
  await page.waitForFunction(() => document.querySelector(".panel").answer.centre === "iqm");
  check(true, "the interquartile mean");
  await control("Middle").selectOption("mean");
  await control("Smoothing").fill("0.8");
  for (const box of ["log x", "log y"]) { await control(box).check(); await control(box).uncheck(); }
  await control("single seeds").check();
  await page.waitForFunction(() => { const { answer } = document.querySelector(".panel"); return answer && answer.agents[0].seeds.length === 5; });
  check(true, "single seeds on demand");
  await control("single seeds").uncheck();
  await control("Task").selectOption("0");
  await page.waitForFunction(() => document.querySelectorAll("#view-curves .panel").length === 1);
  await control("Task").selectOption("all");
  await page.waitForSelector("#view-curves .legend button");
  const first = page.locator("#view-curves .legend button").first();
  await first.click();
  await soon(async () => await page.locator("#view-curves .legend button").first().getAttribute("aria-pressed") === "false", "a line is hidden by the legend");
  await page.locator("#view-curves .legend button").first().click();
  const chart = page.locator("#view-curves .chart").first();
  await chart.locator(".u-over").hover({ position: { x: 200, y: 80 } });
  await soon(async () => /n \d/.test(await page.locator("#view-curves .legend .value").first().textContent()), "hovering tells values with seed counts");
  await chart.focus();
  await page.keyboard.press("ArrowLeft");
  await soon(async () => (await page.locator("#view-curves .at").first().textContent()).includes("episodes"), "the keyboard reads the values");
  const over = await chart.locator(".u-over").boundingBox();
  const range = () => page.evaluate(() => { const { min, max } = document.querySelector("#view-curves .chart").chart.scales.x; return max - min; });
  const whole = await range();
  await page.mouse.move(over.x + 100, over.y + 60);
  await page.mouse.down();
  await page.mouse.move(over.x + 250, over.y + 65, { steps: 5 });
  await page.mouse.up();
  await soon(async () => await range() < 0.6 * whole, "dragging zooms");
  await page.mouse.dblclick(over.x + 150, over.y + 60);
  await soon(async () => Math.abs(await range() - whole) < 1e-9, "a double click shows all again");
  await page.locator("#view-curves summary").first().click();
  await soon(async () => await page.locator("#view-curves details table").count() > 0, "the numbers as a table");
  await page.click("#theme");
  await soon(async () => await page.evaluate(() => document.documentElement.dataset.theme) === "dark", "dark by the button");
  await page.click("#theme");

  await page.click("#tab-runs");
  await page.waitForSelector("#view-runs tbody tr");
  const rows = () => page.locator("#view-runs tbody tr").count();
  const all = await rows();
  await control("Search").fill("duvn-deep seed 3");
  await soon(async () => await rows() < all, "runs are searched by words");
  await control("Search").fill("gamma=0.9");
  await soon(async () => await rows() > 0, "and by knob values");
  await control("Search").fill("");
  for (const [label, value] of [["Environment", "Chain-6"], ["Agent", "duvn"], ["Status", "done"]]) {
    await control(label).selectOption(value);
    await soon(async () => await rows() < all, `runs by ${label}`);
  }
  for (const label of ["Environment", "Agent", "Status"]) await control(label).selectOption("");
  await page.locator("#view-runs th button").nth(2).click();
  await page.locator("#view-runs th button").nth(2).click();
  await page.locator("#view-runs tbody input").nth(0).check();
  await page.locator("#view-runs tbody input").nth(7).check();
  await page.waitForSelector("#differences tbody tr");
  await soon(async () => await page.locator("#differences tbody tr").count() > 0, "what differs between two runs");

  await page.click("#tab-beliefs");
  await page.waitForSelector("#view-beliefs .map svg");
  const deep = await page.locator("#view-beliefs select").first().evaluate((select) =>
    [...select.options].find((option) => option.text.includes("deep") && option.text.includes("Frozen")).value);
  await page.locator("#view-beliefs select").first().selectOption(deep);
  await page.waitForFunction(() => document.querySelectorAll("#view-beliefs .map").length >= 2);
  await page.locator("#view-beliefs input[type=range]").fill("0");
  await page.waitForFunction(() => document.querySelector("#view-beliefs output").textContent.includes("before the first"));
  check(true, "a slider through training");
  await page.locator("#view-beliefs .map .cell").nth(5).click();
  await soon(async () => (await page.locator("#view-beliefs h3[aria-live]").textContent()).includes("state 5"), "a click on a state shows its distributions");
  await page.locator("#view-beliefs .drawing").first().focus();
  await page.keyboard.press("ArrowRight");
  await soon(async () => (await page.locator("#view-beliefs h3[aria-live]").textContent()).includes("state 6"), "and so does the keyboard");
  await page.getByRole("button", { name: "Look again" }).click();

  await page.click("#tab-watch");
  await page.locator("#view-watch select").nth(1).selectOption("explore");
  await control("Episode").fill("2");
  await page.click("#watch-begin");
  await page.waitForSelector("#action-values tbody tr");
  await page.waitForFunction(() => { const img = document.querySelector("#view-watch img"); return img.complete && img.naturalWidth > 0; });
  await page.click("#watch-pause");
  await page.click("#watch-step");
  await page.getByRole("button", { name: "Step back" }).click();
  await control("Speed").fill("40");
  await page.getByLabel("Step of the episode").fill("1");
  await soon(async () => (await page.locator("#view-watch p[role=status]").textContent()).startsWith("step 1"), "the policy at play, paused and stepped");

  await page.click("#tab-compare");
  await page.waitForSelector("#comparison tbody tr");
  await control("Agent").selectOption("duvn");
  await control("against").selectOption("egreedy");
  await page.waitForFunction(() => document.querySelector("#comparison thead").textContent.includes("DUVN above"));
  await soon(async () => /\[.*\]/.test(await page.locator("#comparison tbody tr").first().textContent()), "differences with intervals");
  await soon(async () => await page.locator("#view-compare canvas").count() > 0, "the performance profile");
  await page.locator("#tab-compare").focus();
  await page.keyboard.press("ArrowLeft");
  await soon(async () => await page.locator("#view-watch").isVisible(), "arrow keys go from tab to tab");
  check(errors.length === 0, `every control was used without errors ${errors.join("; ")}`);
  await context.close();
}

/** A report is the same page, from a file. */
async function frozen(browser, address) {
  const { context, page } = await open(browser, { viewport: { width: 1000, height: 800 } });
  const errors = complaints(page);
  await page.goto(address);
  await page.waitForSelector(".chart canvas");
  await page.locator("#view-curves .legend button").first().click();
  await soon(async () => await page.locator("#view-curves .legend button").first().getAttribute("aria-pressed") === "false", "report: a line is hidden");
  await page.locator("#view-curves .chart .u-over").first().hover({ position: { x: 200, y: 80 } });
  await soon(async () => /n \d/.test(await page.locator("#view-curves .legend .value").last().textContent()), "report: hovering tells values");
  await page.click("#tab-beliefs");
  await page.waitForSelector("#view-beliefs .map svg");
  await page.locator("#view-beliefs input[type=range]").fill("0");
  await page.waitForFunction(() => document.querySelector("#view-beliefs output").textContent.includes("before the first"));
  await page.locator("#view-beliefs .map .cell").nth(2).click();
  await soon(async () => (await page.locator("#view-beliefs h3[aria-live]").textContent()).includes("state 2"), "report: beliefs with slider and states");
  await page.click("#tab-runs");
  await page.getByLabel("Search").fill("seed 3");
  await soon(async () => await page.locator("#view-runs tbody tr").count() > 0, "report: runs are searched");
  await page.click("#tab-compare");
  await page.waitForSelector("#comparison tbody tr");
  await looks(page, "report at 1000 px");
  check(errors.length === 0, `report: no errors ${errors.join("; ")}`);
  await context.close();
}

/** A box in slices: what is under the mouse, the keyboard and the table say the same. */
async function slices(browser, address) {
  for (const [width, height] of [[1400, 900], [400, 800]]) {
    for (const scheme of ["light", "dark"]) {
      const name = `slices ${width} ${scheme}`;
      const { context, page } = await open(browser, { viewport: { width, height }, colorScheme: scheme });
      const errors = complaints(page);
      await page.goto(address);
      await page.selectOption("#experiments", "1");
      await page.click("#tab-beliefs");
      await page.waitForFunction(() => document.querySelectorAll("#view-beliefs .map canvas").length >= 3);
      await soon(async () => (await page.locator("#view-beliefs figcaption").first().textContent()).includes("position"), `${name}: a box in slices`);
      const maps = page.locator("#view-beliefs .drawing");
      await soon(async () => /32 by 32 cells: from .* at position .* velocity/.test(await maps.first().getAttribute("aria-label")), `${name}: a map says where it is lowest and highest`);
      const heading = () => page.locator("#view-beliefs h3[aria-live]").textContent();
      const { width: across, height: up } = await maps.first().boundingBox();
      // The left end is the lowest position, the foot the lowest velocity.
      await maps.first().click({ position: { x: across * (0.5 / 32), y: up * (31.5 / 32) } });
      await soon(async () => await heading() === "position -1.172, velocity -0.068", `${name}: a click on the picture chooses its cell`);
      await maps.first().focus();
      await page.keyboard.press("ArrowRight");
      await soon(async () => (await heading()).startsWith("position -1.116"), `${name}: and arrow keys the next one (${await heading()})`);
      await page.locator("#view-beliefs .map summary").first().click();
      await soon(async () => await page.locator("#view-beliefs .map table").first().locator("td").count() === 40, `${name}: the numbers as a table`);
      await picture(page, `slices-${width}-${scheme}`);
      await looks(page, name);
      const along = (word) => page.locator("#view-beliefs label", { hasText: new RegExp(`^${word}`) }).locator("select");
      await along("across").selectOption("1");
      await along("up").selectOption("0");
      await page.waitForFunction(() => document.querySelector("#view-beliefs figcaption").textContent.includes("Across: velocity"));
      check(errors.length === 0, `${name}: no errors ${errors.join("; ")}`);
      await context.close();
    }
  }
}

/** Taxi has 20 states in each cell: one layer for each place of the passenger and destination. */
async function layers(browser, address) {
  const { context, page } = await open(browser, { viewport: { width: 1400, height: 900 } });
  const errors = complaints(page);
  await page.goto(address);
  const named = async () => (await page.locator("#experiments option").allTextContents()).join();
  await soon(async () => await named() === "Chains and ice,Training (car),Training (taxi)", "experiments with one heading are told apart by their folders");
  await page.selectOption("#experiments", "2");
  await page.click("#tab-beliefs");
  await page.waitForFunction(() => document.querySelector("#view-beliefs figcaption")?.textContent.includes("Down"));
  const heading = page.locator("#view-beliefs h3[aria-live]");
  const layer = page.locator("#view-beliefs label", { hasText: /^Layer/ }).locator("select");
  const written = () => page.locator("#view-beliefs .map").first().locator("text").allTextContents();
  await page.locator("#view-beliefs .map .cell").first().click();
  await soon(async () => (await heading.textContent()).includes("the first of 20 in this cell"), "Taxi: a cell holds 20 states");
  const all = await written();
  const options = () => layer.locator("option").allTextContents();
  await soon(async () => (await options()).length === 21 && (await options())[2] === "passenger at red, to green", "Taxi: layers by passenger and destination");
  // The state of Taxi is ((row * 5 + column) * 5 + passenger) * 4 + destination.
  for (const [label, state] of [["passenger at red, to green", 1], ["passenger in the taxi, to blue", 19]]) {
    await layer.selectOption({ label });
    await page.locator("#view-beliefs .map .cell").first().click();
    await soon(async () => await heading.textContent() === `state ${state}`, `Taxi: ${label} (${await heading.textContent()})`);
    await page.locator("#view-beliefs .map .cell").nth(7).click();
    await soon(async () => await heading.textContent() === `state ${7 * 20 + state}`, `Taxi: and in another cell (${await heading.textContent()})`);
  }
  await soon(async () => (await written()).join() !== all.join(), "Taxi: a layer has numbers of its own");
  await picture(page, "layers-1400-light");
  await looks(page, "Taxi's layers");
  check(errors.length === 0, `Taxi: no errors ${errors.join("; ")}`);
  await context.close();
}

/** How soon the page shows what is recorded. Every single time that episodes come into the records counts. */
async function shownInTime(page, out) {
  await page.evaluate(() => {
    const read = () => {
      const cell = document.querySelector("#view-runs td[data-head=episodes]");
      const count = cell ? Number(cell.textContent.replaceAll(",", "")) : 0;
      if (!window.shownEpisodes.length || window.shownEpisodes.at(-1)[1] !== count) window.shownEpisodes.push([Date.now(), count]);
    };
    window.shownEpisodes = [];
    read();
    new MutationObserver(read).observe(document.querySelector("#view-runs tbody"), { childList: true, subtree: true, characterData: true });
  });
  let lines = "";
  const clock = spawn(join(dirname(duvn), "examples", "recorded"), [out], { stdio: ["pipe", "pipe", "inherit"] });
  children.push(clock);
  clock.stdout.on("data", (data) => { lines += data; });
  // The first line tells of what was there before; each of the others of episodes that have just been recorded.
  const recorded = () => lines.trim().split("\n").map((line) => line.split(" ").map(Number));
  for (const until = Date.now() + PATIENCE; recorded().length < 17 && Date.now() < until;) await page.waitForTimeout(100);
  const list = recorded().slice(1);
  clock.stdin.end();
  await page.waitForFunction((count) => window.shownEpisodes.at(-1)[1] >= count, list.at(-1)[1]);
  const shown = await page.evaluate(() => window.shownEpisodes);
  const at = list.map(([, count]) => shown.find(([, known]) => known >= count)[0]);
  const after = list.map(([when], place) => at[place] - when);
  // An episode of one record ended after the record before.
  const whole = list.slice(1).map((_, place) => at[place + 1] - list[place][0]);
  const middle = [...after].sort((a, b) => a - b)[Math.floor(after.length / 2)];
  check(list.length >= 16 && Math.max(...after) < 2000, `a recorded episode shows within 2 s, ${list.length} times of ${list.length} `
    + `(${middle} ms in the middle, ${Math.max(...after)} at most; since it ended ${Math.max(...whole)} at most)`);
}

/** A run that goes on: how soon it is shown, and whether it can be stopped and resumed. */
async function live(browser) {
  const out = join(folder, "live");
  const train = spawn(duvn, ["train", "CartPole-v1", "--agent", "egreedy", "--seeds", "0..2", "--steps", "20000000", "--jobs", "1", "--out", out], { stdio: "ignore" });
  children.push(train);
  const ended = new Promise((resolve) => { train.once("exit", resolve); });
  while (!existsSync(join(out, "records.sqlite"))) await new Promise((resolve) => { setTimeout(resolve, 100); });
  const { url } = await serve(out, "--control");
  const { context, page } = await open(browser, { viewport: { width: 1400, height: 900 } });
  await page.goto(url);
  await page.click("#tab-runs");
  await page.waitForFunction(() => { const cell = document.querySelector("#view-runs td[data-head=episodes]"); return cell && cell.textContent !== "0"; });
  await shownInTime(page, out);
  await picture(page, "live-runs");
  await page.click("#stop");
  check(await ended === 75, "the page stops the sweep of another program, cleanly");
  await page.waitForSelector("#resume:not([hidden])");
  await page.click("#resume");
  await page.waitForSelector("#stop:not([hidden])");
  check(true, "and resumes it");
  await page.click("#stop");
  await page.waitForSelector("#resume:not([hidden])");
  check(true, "and stops it again");
  await context.close();
}

let browser = null;
try {
  console.log(`pictures go to ${pictures}`);
  const out = join(folder, "browser");
  duvnDo("sweep", join(here, "experiment.toml"), "--out", out);
  duvnDo("report", out);
  const car = join(folder, "car");
  duvnDo("train", "MountainCar-v0", "--agent", "duvn-deep", "--steps", "2000", "--out", car);
  const taxi = join(folder, "taxi");
  duvnDo("train", "Taxi-v4", "--agent", "duvn-deep", "--steps", "2000", "--out", taxi);
  browser = await chromium.launch({ executablePath, args: FLAGS });
  const served = await serve(out, car, taxi);
  await clicks(browser, served.url);
  await everyTab(browser, served.url, "board", ["curves", "runs", "beliefs", "watch", "compare"]);
  const report = pathToFileURL(join(out, "report.html")).href;
  await everyTab(browser, report, "report", ["curves", "runs", "beliefs", "compare", "report"]);
  await frozen(browser, report);
  await slices(browser, served.url);
  await layers(browser, served.url);
  const { page: stranger } = await open(browser);
  await stranger.goto(served.url.replace(/#.*/, ""));
  await stranger.waitForSelector("#message:not([hidden])");
  check((await stranger.textContent("#message")).includes("token"), "without the token there is nothing to see");
  await live(browser);
} catch (error) {
  console.log(error);
  failures += 1;
} finally {
  if (browser) await browser.close().catch(() => {});
  for (const child of children) child.kill("SIGTERM");
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 300 });
}
console.log(failures ? `${failures} failed` : "all is well");
process.exitCode = failures ? 1 : 0;
