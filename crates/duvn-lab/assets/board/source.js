// Where the data come from: the server, or the page itself where it is a report.

const embedded = byId("duvn-data");
const frozen = embedded ? JSON.parse(embedded.textContent) : null;
const isLive = frozen === null;

class Missing extends Error {}

/** The address of something that is asked for. The same words are the keys of a report's answers. */
function address(name, parameters) {
  const text = Object.entries(parameters || {}).map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&");
  return text ? `${name}?${text}` : name;
}

/** The answer to a question. */
async function ask(name, parameters) {
  const key = address(name, parameters);
  if (!isLive) {
    const answer = frozen.answers[key] ?? frozen.answers[key.replace(/seeds=0$/, "seeds=1")];
    if (answer === undefined) throw new Missing("This is not part of the report; `duvn serve` shows it.");
    return answer;
  }
  const response = await fetch(`api/${key}`, { credentials: "same-origin", cache: "no-store" });
  if (response.status === 401) {
    throw new Error("This page needs the token: open the whole address that duvn printed, with what stands behind #.");
  }
  const answer = await response.json().catch(() => null);
  if (!response.ok) throw new Error((answer && answer.error) || `The server says ${response.status}.`);
  return answer;
}

/** Asks the server to do something. */
async function tell(name, parameters) {
  const response = await fetch(`api/${name}`, {
    method: "POST", credentials: "same-origin", headers: { "content-type": "application/json" },
    body: JSON.stringify(parameters || {}),
  });
  const answer = await response.json().catch(() => null);
  if (!response.ok) throw new Error((answer && answer.error) || `The server says ${response.status}.`);
  return answer;
}

/** Hands the token of the address over for a cookie, and takes it out of the address. */
async function enter() {
  const found = location.hash.match(/token=([0-9a-f]+)/);
  if (!found) return;
  const response = await fetch("api/session", {
    method: "POST", credentials: "same-origin", headers: { "x-duvn-token": found[1] },
  });
  history.replaceState(null, "", location.pathname);
  if (!response.ok) throw new Error("The token in the address is not the server's: start again from what duvn printed.");
}

/** Tells `changed` of every change that the server speaks of. */
function listen(changed) {
  const connection = byId("connection");
  const events = new EventSource("api/events");
  events.addEventListener("open", () => { connection.textContent = "live"; });
  events.addEventListener("change", (event) => {
    connection.textContent = "live";
    changed(JSON.parse(event.data));
  });
  events.addEventListener("error", () => {
    connection.textContent = "the server does not answer; what you see may be old";
  });
}
