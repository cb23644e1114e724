//! What is answered to which question.

use crate::answer::{Answer, answer, json_answer, json_bytes, not_allowed, refuse};
use crate::limits::{BODY, BODY_TIME, EPISODES};
use crate::query::Query;
use crate::shared::{Played, Shared, Shown};
use crate::stream;
use bytes::Bytes;
use duvn_lab::board::{Axis, Centre, Comparison, CurveQuery, LookError, Metric, Playing, assets};
use duvn_lab::evaluate::Acting;
use hyper::body::{Body, Incoming};
use hyper::header::{CONTENT_TYPE, SET_COOKIE};
use hyper::{Method, Request, StatusCode};
use serde_json::{Value, json};
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

/// Answers a request.
pub async fn respond(shared: Arc<Shared>, request: Request<Incoming>) -> Answer {
    let headers = request.headers();
    // A whole address in the first line would be another name than that of the header.
    if request.uri().authority().is_some() || !shared.guard.host(headers) {
        return refuse(StatusCode::MISDIRECTED_REQUEST, "this server does not go by that name");
    }
    let path = request.uri().path();
    let Some(question) = path.strip_prefix("/api/") else { return page(request.method(), path) };
    let question = question.to_string();
    let parameters = request.uri().query().unwrap_or("").to_string();
    if !shared.guard.no_stranger(headers) {
        return refuse(StatusCode::FORBIDDEN, "another site may not ask this server");
    }
    if question == "session" {
        return session(&shared, &request);
    }
    if !shared.guard.session(headers) {
        return refuse(StatusCode::UNAUTHORIZED, "open the address that duvn printed, with its token");
    }
    let commands = matches!(question.as_str(), "stop" | "resume");
    match (commands, request.method().clone()) {
        (true, Method::POST) => command(shared, request, &question).await,
        (true, _) => not_allowed("POST"),
        (false, Method::GET) => ask(shared, &question, &parameters).await,
        (false, _) => not_allowed("GET"),
    }
}

/// The page and its parts, which hold no data.
fn page(method: &Method, path: &str) -> Answer {
    let (kind, text) = match path {
        "/" => ("text/html; charset=utf-8", page_text()),
        "/board.js" => (SCRIPT, assets::SCRIPT.into()),
        "/board.css" => (STYLE, assets::STYLE.into()),
        "/uplot.js" => (SCRIPT, assets::UPLOT.into()),
        "/uplot.css" => (STYLE, assets::UPLOT_STYLE.into()),
        "/uplot-licence.txt" => ("text/plain; charset=utf-8", assets::UPLOT_LICENCE.into()),
        "/favicon.ico" => return answer(StatusCode::NO_CONTENT, "image/x-icon", ""),
        _ => return refuse(StatusCode::NOT_FOUND, "there is nothing here"),
    };
    if *method != Method::GET {
        return not_allowed("GET");
    }
    answer(StatusCode::OK, kind, text)
}

fn page_text() -> String {
    let head = "<link rel=\"stylesheet\" href=\"uplot.css\">\n<link rel=\"stylesheet\" href=\"board.css\">\n\
                <script src=\"uplot.js\" defer></script>\n<script src=\"board.js\" defer></script>";
    let page = assets::PAGE.replace("<!--title-->", "duvn").replace("<!--head-->", head);
    page.replace("<!--report-->", "").replace("<!--tail-->", "")
}

/// Gives the cookie for the token.
fn session(shared: &Shared, request: &Request<Incoming>) -> Answer {
    if request.method() != Method::POST {
        return not_allowed("POST");
    }
    if !shared.guard.own_origin(request.headers()) {
        return refuse(StatusCode::FORBIDDEN, "only the page itself may begin a session");
    }
    match shared.guard.enter(request.headers()) {
        Some(cookie) => {
            let mut welcome = json_answer(&json!({ "ok": true }));
            welcome.headers_mut().insert(SET_COOKIE, cookie);
            welcome
        }
        None => refuse(StatusCode::UNAUTHORIZED, "this is not the token"),
    }
}

/// Stops or resumes a sweep.
async fn command(shared: Arc<Shared>, request: Request<Incoming>, what: &str) -> Answer {
    let headers = request.headers();
    if !shared.guard.own_origin(headers) && !shared.guard.bearer(headers) {
        return refuse(StatusCode::FORBIDDEN, "only the page itself may change anything");
    }
    if !shared.conductor.control() {
        return refuse(
            StatusCode::FORBIDDEN,
            "this server only shows: start it with --control to stop and resume",
        );
    }
    let kind = headers.get(CONTENT_TYPE).map(|kind| kind.as_bytes());
    if kind != Some(b"application/json") {
        return refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, "write JSON");
    }
    let body = match tokio::time::timeout(BODY_TIME, read(request.into_body())).await {
        Ok(Some(body)) => body,
        Ok(None) => return refuse(StatusCode::PAYLOAD_TOO_LARGE, "that is too long"),
        Err(_) => return refuse(StatusCode::REQUEST_TIMEOUT, "that took too long"),
    };
    let e = serde_json::from_slice::<Value>(&body).ok().and_then(|value| value.get("e")?.as_u64());
    let Some(e) = e.and_then(|e| usize::try_from(e).ok()).filter(|&e| e < shared.shown.len()) else {
        return refuse(StatusCode::BAD_REQUEST, "name the experiment: {\"e\": 0}");
    };
    let stop = what == "stop";
    let work = move || {
        let done = if stop { shared.conductor.stop(e) } else { shared.conductor.resume(e) };
        shared.refresh();
        done
    };
    match tokio::task::spawn_blocking(work).await {
        Ok(Ok(())) => json_answer(&json!({ "ok": true })),
        Ok(Err(why)) => refuse(StatusCode::CONFLICT, &why),
        Err(_) => fault(),
    }
}

/// The whole body; none where it is too long or breaks off.
async fn read(mut body: Incoming) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        let data = frame.ok()?.into_data().ok()?;
        if bytes.len() + data.len() > BODY {
            return None;
        }
        bytes.extend_from_slice(&data);
    }
    Some(bytes)
}

fn fault() -> Answer {
    refuse(StatusCode::INTERNAL_SERVER_ERROR, "something went wrong here; the sweep is not affected")
}

/// Answers a question.
async fn ask(shared: Arc<Shared>, question: &str, parameters: &str) -> Answer {
    let Some(query) = Query::parse(parameters) else {
        return refuse(StatusCode::BAD_REQUEST, "these are no parameters");
    };
    match question {
        "hello" => return json_answer(&hello(&shared)),
        "events" => {
            return match Arc::clone(&shared.streams).try_acquire_owned() {
                Ok(permit) => stream::open(&shared, permit),
                Err(_) => refuse(StatusCode::SERVICE_UNAVAILABLE, "too many pages listen"),
            };
        }
        "frame" => return frame(&shared, &query),
        _ => {}
    }
    let Some(shown) = query.number::<usize>("e").and_then(|e| shared.shown.get(e)) else {
        return refuse(StatusCode::NOT_FOUND, "there is no such experiment");
    };
    // What the records alone decide is kept until they change.
    let kept = matches!(question, "overview" | "curves" | "compare");
    let key = format!("{question}?{parameters}");
    if let Some(bytes) = kept.then(|| shared.cache.get(&key, shown.version())).flatten() {
        return json_bytes(bytes);
    }
    let Ok(permit) = Arc::clone(&shared.waiting).try_acquire_owned() else {
        return refuse(StatusCode::SERVICE_UNAVAILABLE, "too much is asked for at once");
    };
    let question = question.to_string();
    let work = move || {
        let _permit = permit;
        let shown = query.number::<usize>("e").and_then(|e| shared.shown.get(e));
        let shown = shown.ok_or_else(|| Refusal::missing("there is no such experiment"))?;
        let version = shown.version();
        if let Some(bytes) = kept.then(|| shared.cache.get(&key, version)).flatten() {
            return Ok(bytes);
        }
        let value = find(&shared, shown, &question, &query)?;
        let bytes = Bytes::from(value.to_string());
        if kept {
            shared.cache.put(&key, version, &bytes);
        }
        Ok(bytes)
    };
    match tokio::task::spawn_blocking(work).await {
        Ok(Ok(bytes)) => json_bytes(bytes),
        Ok(Err(Refusal(status, why))) => refuse(status, &why),
        Err(_) => fault(),
    }
}

/// Why a question has no answer.
struct Refusal(StatusCode, String);

impl Refusal {
    fn missing(why: &str) -> Self {
        Refusal(StatusCode::NOT_FOUND, why.into())
    }

    fn failed(error: impl std::fmt::Display) -> Self {
        Refusal(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
    }
}

impl From<LookError> for Refusal {
    fn from(error: LookError) -> Self {
        match error {
            LookError::Missing(why) => Refusal(StatusCode::NOT_FOUND, why),
            error => Refusal::failed(error),
        }
    }
}

fn hello(shared: &Shared) -> Value {
    let experiments: Vec<Value> = (0..)
        .zip(&shared.shown)
        .map(|(e, shown): (usize, &Shown)| json!({ "e": e, "title": shown.label, "name": shown.name }))
        .collect();
    let program = duvn_lab::machine::version();
    json!({ "live": true, "control": shared.conductor.control(), "program": program, "experiments": experiments })
}

fn find(shared: &Shared, shown: &Shown, question: &str, query: &Query) -> Result<Value, Refusal> {
    match question {
        "overview" => Ok(overview(shared, shown, query.number("e").unwrap_or(0))),
        "curves" => curves(shown, query),
        "compare" => {
            let none = || Refusal::missing("name two agents");
            let (a, b) = (query.get("a").ok_or_else(none)?, query.get("b").ok_or_else(none)?);
            let mut comparison = Comparison::new(&shown.board());
            Ok(comparison.of(a, b))
        }
        "beliefs" | "belief" | "slice" | "episode" => look(shared, shown, question, query),
        _ => Err(Refusal::missing("there is no such question")),
    }
}

fn overview(shared: &Shared, shown: &Shown, e: usize) -> Value {
    let board = shown.board();
    let mut value = board.overview();
    let (working, stopping) = shared.conductor.state(e);
    let (at_work, open) = (working || board.at_work(), board.open_runs());
    let control = shared.conductor.control();
    value["control"] = json!({
        "can_stop": control && at_work, "can_resume": control && !at_work && open > 0, "stopping": stopping && at_work,
        "error": shared.conductor.error(e),
    });
    value["fault"] = json!(shown.fault());
    value
}

fn curves(shown: &Shown, query: &Query) -> Result<Value, Refusal> {
    let asked = || {
        Some(CurveQuery {
            task: query.number("task")?,
            metric: Metric::named(query.get("metric")?)?,
            axis: Axis::named(query.get("x")?)?,
            centre: Centre::named(query.get("centre")?)?,
            seeds: query.get("seeds")? == "1",
            every: 1,
            bands: true,
        })
    };
    let asked = asked().ok_or_else(|| Refusal::missing("there are no such curves"))?;
    let found = shown.board().curves(&asked).map_err(Refusal::failed)?;
    found.ok_or_else(|| Refusal::missing("there is no such task"))
}

/// What the agents themselves say.
fn look(shared: &Shared, shown: &Shown, question: &str, query: &Query) -> Result<Value, Refusal> {
    let run = query.get("run").ok_or_else(|| Refusal::missing("name a run"))?;
    let looking = shown.board().looking(run)?;
    let mut beliefs = shared.beliefs.lock().unwrap_or_else(PoisonError::into_inner);
    match question {
        "beliefs" => Ok(beliefs.index(&looking)),
        "slice" => {
            let axes = query.number("i").zip(query.number("j"));
            let (i, j) = axes.ok_or_else(|| Refusal::missing("name two numbers"))?;
            Ok(beliefs.slice(&looking, i, j)?)
        }
        "belief" => match query.get("episode") {
            Some("now") => Ok(beliefs.states(&looking)?),
            Some(text) => {
                let episode = text.parse().map_err(|_| Refusal::missing("there is no such moment"))?;
                if let Some(seen) = beliefs.seen_moment(&looking, episode) {
                    return Ok(seen);
                }
                drop(beliefs);
                Ok(shown.board().recorded_moment(&looking, episode)?)
            }
            None => Err(Refusal::missing("name a moment")),
        },
        _ => {
            let acting = match query.get("policy") {
                Some("mean") => Acting::Mean,
                Some("explore") => Acting::Explore,
                _ => return Err(Refusal::missing("the policy is mean or explore")),
            };
            let number: u64 = query.number("n").filter(|&n| n < 1 << 32).unwrap_or(0);
            let frames = beliefs.play(&looking, Playing { acting, number })?;
            drop(beliefs);
            let id = shared.next.fetch_add(1, Ordering::Relaxed);
            let mut script = frames.script;
            script["id"] = json!(id);
            let mut played = shared.played.lock().unwrap_or_else(PoisonError::into_inner);
            played.push_back(Played { id, pictures: frames.pictures });
            while played.len() > EPISODES {
                played.pop_front();
            }
            Ok(script)
        }
    }
}

/// A picture of an episode at play.
fn frame(shared: &Shared, query: &Query) -> Answer {
    let find = || {
        let (id, t) = (query.number::<u64>("id")?, query.number::<usize>("t")?);
        let played = shared.played.lock().unwrap_or_else(PoisonError::into_inner);
        played.iter().find(|played| played.id == id)?.pictures.get(t).cloned()
    };
    match find() {
        Some(png) => answer(StatusCode::OK, "image/png", png),
        None => refuse(StatusCode::NOT_FOUND, "there is no such picture; play the episode again"),
    }
}
