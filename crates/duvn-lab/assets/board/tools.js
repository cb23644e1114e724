// Small things that every view needs.

/** An HTML element: attributes that are functions become listeners. */
function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** An element of a drawing. */
function draw(tag, attributes, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else if (name === "value") element.value = value;
    else if (name === "checked") element.checked = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

const byId = (id) => document.getElementById(id);

/** A number with about four digits. */
function short(x) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  const size = Math.abs(x);
  if (x === 0) return "0";
  if (size >= 1e6 || size < 1e-4) return x.toExponential(2);
  if (size >= 1000) return Math.round(x).toLocaleString("en");
  if (Number.isInteger(x)) return String(x);
  return x.toFixed(size >= 100 ? 1 : size >= 10 ? 2 : size >= 0.01 ? 3 : 4);
}

/** A number with its interval. */
function withInterval(part) {
  if (!part || part.estimate === null) return "–";
  if (part.low === null || part.high === null) return short(part.estimate);
  return `${short(part.estimate)} [${short(part.low)}, ${short(part.high)}]`;
}

/** Seconds as people say them. */
function duration(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172800) return `${(seconds / 3600).toFixed(1)} h`;
  return `${(seconds / 86400).toFixed(1)} days`;
}

/** A choice among options, each a value and a text. */
function choice(label, options, value, chosen) {
  const select = el("select", { change: () => chosen(select.value) });
  setOptions(select, options, value);
  return el("label", {}, label, select);
}

function setOptions(select, options, value) {
  const same = select.options.length === options.length
    && options.every(([known, text], at) => select.options[at].value === String(known) && select.options[at].text === text);
  if (!same) select.replaceChildren(...options.map(([known, text]) => el("option", { value: known }, text)));
  select.value = String(value);
}

/** A box to tick. */
function tick(label, value, chosen) {
  const box = el("input", { type: "checkbox", checked: value, change: () => chosen(box.checked) });
  return el("label", {}, box, label);
}

/** The colours of the page as it is now. */
function ink(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

const VIRIDIS = ["#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30", "#fde725"];

/** The colour at a share of the way from the lowest to the highest, as in the figures. */
function heat(share) {
  const at = Math.min(Math.max(share, 0), 1) * (VIRIDIS.length - 1);
  const below = Math.min(Math.floor(at), VIRIDIS.length - 2);
  const part = (hex, place) => parseInt(hex.slice(1 + 2 * place, 3 + 2 * place), 16);
  const mix = (place) => {
    const [low, high] = [part(VIRIDIS[below], place), part(VIRIDIS[below + 1], place)];
    return Math.round(low + (at - below) * (high - low));
  };
  return `rgb(${mix(0)}, ${mix(1)}, ${mix(2)})`;
}

/** Does `work` now and then, and not again before it is over and `pause` milliseconds have gone by. */
function atMost(pause, work) {
  let busy = false;
  let again = false;
  const run = async () => {
    if (busy) { again = true; return; }
    busy = true;
    try { await work(); } catch (error) { say(error); }
    setTimeout(() => { busy = false; if (again) { again = false; run(); } }, pause);
  };
  return run;
}

/** Shows a sentence that something went wrong, or takes it away. */
function say(error) {
  const message = byId("message");
  message.hidden = !error;
  message.textContent = error ? (error.message || String(error)) : "";
}
