// How soon the page of an experiment is there: first paint, the first curve, bytes.
//
//   node paint.mjs PATH/TO/duvn FOLDER [TIMES]
//
// Each time with a server that has just been started, and a browser that knows nothing yet.

import { chromium } from "playwright-core";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";

const [duvn, folder, times = "5"] = process.argv.slice(2);
const executablePath = process.env.CHROMIUM || ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"] });
// The browser's own first start is not the page's.
await (await browser.newPage()).goto("about:blank");
for (let at = 0; at < Number(times); at += 1) {
  const began = Date.now();
  const server = spawn(duvn, ["serve", folder, "--json"], { stdio: ["ignore", "pipe", "inherit"] });
  const { url } = JSON.parse(String(await new Promise((resolve) => { server.stdout.once("data", resolve); })));
  const opened = Date.now() - began;
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(180000);
  let bytes = 0;
  page.on("response", (response) => { response.body().then((body) => { bytes += body.length; }, () => {}); });
  const asked = Date.now();
  await page.goto(url);
  await page.waitForSelector("#view-curves .chart canvas");
  const curve = Date.now() - asked;
  const paint = await page.evaluate(() => Math.round((performance.getEntriesByName("first-contentful-paint")[0] || { startTime: NaN }).startTime));
  await page.waitForTimeout(1000);
  console.log(`server up after ${opened} ms, first paint after ${paint} ms, curves after ${curve} ms, ${bytes} bytes`);
  await context.close();
  server.kill("SIGTERM");
}
await browser.close();
