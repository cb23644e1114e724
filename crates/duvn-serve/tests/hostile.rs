//! Requests of those who mean harm. `DUVN_HOSTILE=100000 cargo test -p duvn-serve --release --test hostile` sends as many.

mod common;

use common::{Folder, SMALL, ask, experiment, question, send, serve};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Numbers that look random and are always the same.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % sides as u64) as usize
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.roll(list.len())]
    }
}

const PATHS: [&str; 26] = [
    "/",
    "/api/overview?e=0",
    "/api/hello",
    "/api/events",
    "/api/stop",
    "/api/resume",
    "/api/session",
    "/../../etc/passwd",
    "/api/../../etc/passwd",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/api/beliefs?e=0&run=../../../etc/passwd",
    "/api/beliefs?e=0&run=%2e%2e%2f%2e%2e",
    "/api/overview?e=18446744073709551616",
    "/api/overview?e=-1",
    "/api/overview?e=0&e=1",
    "/api/curves?e=0&task=99999999999&metric=return&x=steps&centre=mean&seeds=1",
    "/api/curves?e=0",
    "/api/frame?id=0&t=0",
    "/api/belief?e=0&run=a&episode=now",
    "/records.sqlite",
    "/runs/",
    "//api/hello",
    "/api/hello/",
    "/api/compare?e=0&a=%00&b=%ff",
    "/api/slice?e=0&run=x&i=0&j=999999",
    "http://evil.example/api/hello",
];
const METHODS: [&str; 9] = ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE", "BREW"];
const HOSTS: [&str; 8] = [
    "evil.example",
    "127.0.0.1.evil.example",
    "localhost.evil.example:80",
    "0.0.0.0",
    "",
    "127.0.0.1:99999x",
    "[::ffff:7f00:1]",
    "localhost@evil",
];
const ORIGINS: [&str; 6] = [
    "http://evil.example",
    "null",
    "https://127.0.0.1",
    "http://localhost.evil.example",
    "file://",
    "http://127.0.0.1:1",
];

/// One request, and whether anything but a refusal may come back.
fn request(dice: &mut Dice, own: &str) -> (Vec<u8>, bool) {
    let (method, path) = (dice.pick(&METHODS), dice.pick(&PATHS));
    let kind = dice.roll(10);
    let host = if kind == 0 { dice.pick(&HOSTS) } else { own };
    let mut text = format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n");
    match kind {
        1 => text += &format!("Origin: {}\r\n", dice.pick(&ORIGINS)),
        2 => text += &format!("Cookie: duvn_{}={}\r\n", dice.roll(65_536), "0".repeat(dice.roll(80))),
        3 => text += &format!("Authorization: Bearer {}\r\n", "f".repeat(dice.roll(80))),
        4 => text += &format!("X-Duvn-Token: {:064x}\r\nOrigin: http://{own}\r\n", dice.roll(1 << 30)),
        5 => text += &format!("X-Filler: {}\r\n", "a".repeat(dice.roll(40_000))),
        6 => (0..dice.roll(120)).for_each(|at| text += &format!("X-{at}: {at}\r\n")),
        7 => {
            let body = "x".repeat(dice.roll(5_000));
            text +=
                &format!("Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}", body.len());
            return (text.into_bytes(), path == "/" && method == "GET");
        }
        8 => {
            // Not HTTP at all.
            let noise = (0..dice.roll(600)).map(|_| dice.roll(256) as u8).collect::<Vec<_>>();
            return ([noise, b"\r\n\r\n".to_vec()].concat(), false);
        }
        _ => text += "Sec-Fetch-Site: cross-site\r\n",
    }
    text += "\r\n";
    (text.into_bytes(), path == "/" && method == "GET" && kind != 0)
}

/// Everything in a folder but what a reader of the database may touch.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            found.extend(contents(&path));
        } else if !name.ends_with("-shm") && !name.ends_with("-wal") {
            found.push((name, std::fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}

fn memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[test]
fn hostile_requests_change_nothing_and_learn_nothing() {
    let count: u64 = std::env::var("DUVN_HOSTILE").ok().and_then(|text| text.parse().ok()).unwrap_or(2_000);
    let folder = Folder::new("hostile");
    drop(experiment(&folder, SMALL, true));
    let before = contents(&folder.0);
    let server = serve(&folder, true);
    let (address, own) = (server.address(), server.address().to_string());
    let title = "small";
    let (next, welcome, refused, silent) =
        (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    let at_first = memory();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= count {
                        break;
                    }
                    let mut dice = Dice(at.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0xd1ce);
                    let (bytes, open) = request(&mut dice, &own);
                    match send(address, &bytes) {
                        None => {
                            silent.fetch_add(1, Ordering::Relaxed);
                        }
                        Some(reply) => {
                            let said = String::from_utf8_lossy(&bytes);
                            assert!(
                                !reply.body.contains(server.token()) && !reply.head.contains(server.token())
                            );
                            assert!(!reply.head.to_lowercase().contains("set-cookie"), "{said}");
                            if reply.status < 400 {
                                assert!(open && reply.status == 200, "{} for {said}", reply.status);
                                assert!(!reply.body.contains(title), "{said}");
                                welcome.fetch_add(1, Ordering::Relaxed);
                            } else {
                                assert!(reply.status < 500, "{} for {said}", reply.status);
                                assert!(reply.body.len() < 300, "{said}");
                                refused.fetch_add(1, Ordering::Relaxed);
                            }
                        }
                    }
                }
            });
        }
    });
    let (welcome, refused, silent) = (welcome.into_inner(), refused.into_inner(), silent.into_inner());
    println!(
        "{count} requests: {refused} refused, {welcome} got the empty page, {silent} closed; memory {at_first:?} to {:?} kB",
        memory()
    );
    assert_eq!(welcome + refused + silent, count);
    assert!(refused > count / 2);
    if let (Some(first), Some(last)) = (at_first, memory()) {
        assert!(last < first + 64 * 1024, "{first} kB to {last} kB");
    }
    assert_eq!(question(&server, "/api/overview?e=0").status, 200, "it still serves those who may ask");
    server.stop();
    assert_eq!(contents(&folder.0), before, "no file has changed");
}

#[test]
fn what_changes_something_needs_the_session_the_origin_and_the_permission() {
    let folder = Folder::new("permission");
    drop(experiment(&folder, SMALL, false));
    let readonly = serve(&folder, false);
    let bearer = format!("Bearer {}", readonly.token());
    let own = format!("http://{}", readonly.address());
    let json = ("Content-Type", "application/json");
    let post = |headers: &[(&str, &str)], body: &str| ask(&readonly, "POST", "/api/resume", headers, body);
    assert_eq!(post(&[json], "{\"e\":0}").status, 401);
    let refused = post(&[("Authorization", &bearer), ("Origin", &own), json], "{\"e\":0}");
    assert!(refused.status == 403 && refused.body.contains("--control"), "{refused:?}");
    readonly.stop();

    let server = serve(&folder, true);
    let own = format!("http://{}", server.address());
    let token = server.token().to_string();
    // The page's way: the token for a cookie, and then the cookie.
    assert_eq!(
        ask(&server, "POST", "/api/session", &[("X-Duvn-Token", &token)], "").status,
        403,
        "no origin"
    );
    let evil = [("X-Duvn-Token", token.as_str()), ("Origin", "http://evil.example")];
    assert_eq!(ask(&server, "POST", "/api/session", &evil, "").status, 403);
    let welcome = ask(&server, "POST", "/api/session", &[("X-Duvn-Token", &token), ("Origin", &own)], "");
    assert_eq!(welcome.status, 200);
    let cookie = welcome.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap().to_string();
    let cookie = cookie.split(';').next().unwrap().to_string();
    let with = |path: &str, method: &str, headers: &[(&str, &str)], body: &str| {
        let mut all = vec![("Cookie", cookie.as_str())];
        all.extend_from_slice(headers);
        ask(&server, method, path, &all, body).status
    };
    assert_eq!(with("/api/overview?e=0", "GET", &[], ""), 200);
    assert_eq!(with("/api/overview?e=0", "GET", &[("Origin", "http://evil.example")], ""), 403);
    assert_eq!(with("/api/events", "GET", &[("Origin", "http://evil.example")], ""), 403);
    assert_eq!(with("/api/events", "GET", &[("Sec-Fetch-Site", "cross-site")], ""), 403);
    assert_eq!(with("/api/stop", "POST", &[json], "{\"e\":0}"), 403, "a cookie without an origin");
    assert_eq!(with("/api/stop", "POST", &[("Origin", "http://evil.example"), json], "{\"e\":0}"), 403);
    assert_eq!(
        with("/api/stop", "POST", &[("Origin", &own)], "{\"e\":0}"),
        415,
        "a form can be sent by any site"
    );
    assert_eq!(with("/api/stop", "POST", &[("Origin", &own), json], "{\"e\":7}"), 400);
    assert_eq!(with("/api/stop", "POST", &[("Origin", &own), json], "["), 400);
    assert_eq!(with("/api/stop", "POST", &[("Origin", &own), json], &"x".repeat(2_000)), 413);
    assert_eq!(with("/api/stop", "GET", &[], ""), 405);
    assert_eq!(with("/api/overview?e=0", "DELETE", &[("Origin", &own)], ""), 405);
    assert!(!folder.0.join("stop-request").exists());
    assert_eq!(with("/api/stop", "POST", &[("Origin", &own), json], "{\"e\":0}"), 200);
    assert!(folder.0.join("stop-request").exists());
    server.stop();
}

#[test]
fn slow_clients_are_cut_off_and_hold_nobody_up() {
    let folder = Folder::new("slow");
    drop(experiment(&folder, SMALL, true));
    let server = serve(&folder, false);
    let mut slow: Vec<TcpStream> = (0..50).map(|_| TcpStream::connect(server.address()).unwrap()).collect();
    for stream in &mut slow {
        stream.write_all(b"GET / HTTP/1.1\r\nHost: loc").unwrap();
    }
    let began = Instant::now();
    assert_eq!(question(&server, "/api/overview?e=0").status, 200);
    assert!(began.elapsed() < Duration::from_secs(8), "others are served meanwhile");
    // Half a head is waited for ten seconds.
    let mut stream = slow.pop().unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
    assert!(began.elapsed() < Duration::from_secs(55), "{:?}", began.elapsed());
    server.stop();
}

#[test]
fn event_streams_tell_of_changes_and_cost_one_line() {
    let folder = Folder::new("events");
    let store = experiment(&folder, SMALL, false);
    let server = serve(&folder, false);
    let count: usize = std::env::var("DUVN_STREAMS").ok().and_then(|text| text.parse().ok()).unwrap_or(60);
    let head = format!(
        "GET /api/events HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\r\n",
        server.address(),
        server.token()
    );
    let mut streams: Vec<TcpStream> = (0..count)
        .map(|_| {
            let mut stream = TcpStream::connect(server.address()).unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
            stream.write_all(head.as_bytes()).unwrap();
            stream
        })
        .collect();
    let read_until = |stream: &mut TcpStream, word: &str| {
        let (mut text, mut buffer) = (String::new(), [0; 1024]);
        while !text.contains(word) {
            let count = stream.read(&mut buffer).unwrap();
            assert!(count > 0, "closed after {text}");
            text += &String::from_utf8_lossy(&buffer[..count]);
        }
    };
    streams.iter_mut().for_each(|stream| read_until(stream, "retry: 2000"));
    let run = store.runs().unwrap().remove(0);
    let began = Instant::now();
    store.begin(run.number, "a machine", "portable").unwrap();
    streams.iter_mut().for_each(|stream| read_until(stream, "event: change"));
    println!("{count} streams were told within {:?}", began.elapsed());
    assert!(began.elapsed() < Duration::from_secs(20));
    server.stop();
}
