// What those who look cost a sweep: event streams, open tabs and reloads beside a run that another program works on.
//
//   node load.mjs PATH/TO/duvn [STREAMS [SECONDS [TABS]]]
//
// It needs Linux (processor times from /proc) and no package. Steps a second depend on what else the machine does; the
// processor time of the server does not, so both are printed.

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, get } from "node:http";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";

const [duvn, ...numbers] = process.argv.slice(2);
const [streams = 1000, seconds = 60, tabs = 100] = numbers.map(Number);
const folder = mkdtempSync(join(tmpdir(), "duvn-load-"));
const out = join(folder, "run");
const children = [];
const sleep = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

/** Processor seconds and megabytes of a process. */
function used(pid) {
  const parts = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /, "").split(" ");
  const memory = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return { cpu: (Number(parts[11]) + Number(parts[12])) / 100, memory: Number(memory[1]) / 1024 };
}

const agent = new Agent({ keepAlive: true, maxSockets: 200 });
let headers = {};
let origin = "";
const ask = (path) => new Promise((resolve, reject) => {
  get(`${origin}${path}`, { agent, headers }, (response) => {
    let text = "";
    response.setEncoding("utf8");
    response.on("data", (part) => { text += part; });
    response.on("end", () => { response.statusCode === 200 ? resolve(text) : reject(new Error(`${path}: ${response.statusCode} ${text}`)); });
  }).on("error", reject);
});

/** An event stream: how often it was told of a change, and whether it was cut off. */
function stream() {
  const state = { changes: 0, begun: false, ended: false, told: () => {} };
  state.request = get(`${origin}/api/events`, { agent: false, headers }, (response) => {
    state.begun = response.statusCode === 200;
    response.on("data", (part) => { const found = String(part).split("event: change").length - 1; state.changes += found; if (found) state.told(); });
    response.on("end", () => { state.ended = true; });
    response.on("error", () => { state.ended = true; });
  });
  state.request.on("error", () => { state.ended = true; });
  return state;
}

const begun = async (list) => {
  for (let at = 0; at < 300 && !list.every((one) => one.begun || one.ended); at += 1) await sleep(100);
};

async function phase(name, server, sweep, during) {
  const steps = async () => JSON.parse(await ask("/api/overview?e=0")).runs[0].steps;
  const [first, a, b, from] = [await steps(), used(server), used(sweep), Date.now()];
  const said = await during(from + 1000 * seconds);
  const [last, c, d, took] = [await steps(), used(server), used(sweep), (Date.now() - from) / 1000];
  const cpu = c.cpu - a.cpu;
  console.log(`${name}: ${took.toFixed(0)} s; the server took ${cpu.toFixed(2)} processor seconds (${((100 * cpu) / took / availableParallelism()).toFixed(2)} % of the machine), `
    + `${c.memory.toFixed(0)} MB; the sweep made ${last - first} steps, ${((last - first) / took).toFixed(0)} a second, `
    + `${((last - first) / (d.cpu - b.cpu)).toFixed(0)} a processor second${said ? `; ${said}` : ""}`);
}

try {
  const train = spawn(duvn, ["train", "CartPole-v1", "--agent", "egreedy", "--seeds", "0", "--steps", "100000000", "--jobs", "1", "--out", out], { stdio: "ignore" });
  children.push(train);
  while (!existsSync(join(out, "records.sqlite"))) await sleep(100);
  const server = spawn(duvn, ["serve", out, "--json"], { stdio: ["ignore", "pipe", "inherit"] });
  children.push(server);
  const { url, token } = JSON.parse(String(await new Promise((resolve) => { server.stdout.once("data", resolve); })));
  origin = new URL(url).origin;
  headers = { authorization: `Bearer ${token}` };
  while (JSON.parse(await ask("/api/overview?e=0")).runs[0].steps === 0) await sleep(500);

  const wait = async (until) => { while (Date.now() < until) await sleep(200); };
  await phase("nobody looks", server.pid, train.pid, wait);
  await phase(`${streams} event streams`, server.pid, train.pid, async (until) => {
    const list = Array.from({ length: streams }, stream);
    await begun(list);
    await wait(until);
    const counts = list.map((one) => one.changes);
    const ended = list.filter((one) => one.ended || !one.begun).length;
    list.forEach((one) => one.request.destroy());
    return `${ended} were cut off, each was told of ${Math.min(...counts)} to ${Math.max(...counts)} changes`;
  });
  // A page asks for the state and the curves after a change, at most once in 0.9 seconds.
  const questions = ["/api/overview?e=0", "/api/curves?e=0&task=0&metric=return&x=steps&centre=mean&seeds=0"];
  await phase(`${tabs} tabs that are looked at`, server.pid, train.pid, async (until) => {
    let answers = 0;
    const tab = async () => {
      const events = stream();
      while (Date.now() < until) {
        await Promise.race([new Promise((resolve) => { events.told = resolve; }), sleep(Math.max(until - Date.now(), 1))]);
        for (const question of questions) { await ask(question); answers += 1; }
        await sleep(900);
      }
      events.request.destroy();
    };
    await Promise.all(Array.from({ length: tabs }, tab));
    return `${answers} answers`;
  });
  await phase("a reload a second", server.pid, train.pid, async (until) => {
    let reloads = 0;
    while (Date.now() < until) {
      for (const path of ["/", "/board.js", "/board.css", "/uplot.js", "/uplot.css", "/api/hello", ...questions]) await ask(path);
      reloads += 1;
      await sleep(1000);
    }
    return `${reloads} reloads`;
  });
  await phase("nobody looks", server.pid, train.pid, wait);
} finally {
  for (const child of children) child.kill("SIGTERM");
  agent.destroy();
  await sleep(1000);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 300 });
}
