//! An experiment to look at, and a client that sends whatever bytes it likes.

#![allow(dead_code)]

#[path = "../../../duvn-lab/tests/common/folder.rs"]
mod folder;

use duvn_lab::experiment::{Experiment, Variant};
use duvn_lab::store::Store;
use duvn_lab::sweep::{End, Options as SweepOptions, Unwatched, sweep};
use duvn_serve::{Options, Server};
pub use folder::Folder;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

pub const SMALL: &str = "name = 'small'\ntitle = 'A small <b>experiment</b>'\nseeds = '0..2'\nepisodes = 30\nevaluations = 2\n\
                         [[environments]]\nid = 'Chain-5'\n[[agents]]\npreset = 'egreedy'\n\
                         settings = { hidden = [8] }\n[[agents]]\npreset = 'duvn'\nsettings = { hidden = [8] }\n[[watch]]\nenvironment = 'Chain-5'\nagent = 'duvn'\nepisodes = [0, 10, 30]\n";

/// Plans the runs of `text` in `folder`, and does them if `done`.
pub fn experiment(folder: &Folder, text: &str, done: bool) -> Store {
    let experiment = Experiment::parse(text, &Variant::default()).unwrap();
    let store = Store::open_for(&folder.0, &experiment).unwrap();
    if done {
        let stop = AtomicBool::new(false);
        let checkpoint_every = Duration::from_secs(20);
        let options = SweepOptions { jobs: 2, checkpoint_every, retry: false, any_isa: false, stop: &stop };
        let ends = sweep(&store, &experiment.runs, &options, &Unwatched).unwrap();
        assert!(ends.iter().all(|end| matches!(end, End::Done(_))), "{ends:?}");
    }
    store
}

pub fn serve(folder: &Folder, control: bool) -> Server {
    let mut options = Options::new(vec![folder.0.clone()]);
    options.control = control;
    Server::start(options).unwrap()
}

/// What came back.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: String,
}

/// Sends bytes as they are, and reads what comes until the other side closes or is silent.
pub fn send(address: SocketAddr, bytes: &[u8]) -> Option<Reply> {
    let mut stream = TcpStream::connect_timeout(&address, Duration::from_secs(10)).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(30))).ok()?;
    // It may be closed before all is sent: that is an answer, too.
    let _ = stream.write_all(bytes);
    let mut all = Vec::new();
    let mut buffer = [0; 8192];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => break,
            Ok(count) => all.extend_from_slice(&buffer[..count]),
        }
    }
    reply(&all)
}

fn reply(all: &[u8]) -> Option<Reply> {
    let text = String::from_utf8_lossy(all).into_owned();
    let (head, body) = text.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    Some(Reply { status, head: head.into(), body: body.into() })
}

/// A request with these headers, which closes the connection.
pub fn ask(server: &Server, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
    let mut text = format!("{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", server.address());
    for (name, value) in headers {
        text += &format!("{name}: {value}\r\n");
    }
    text += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
    send(server.address(), text.as_bytes()).expect("an answer")
}

/// A question of a program that knows the token.
pub fn question(server: &Server, path: &str) -> Reply {
    ask(server, "GET", path, &[("Authorization", &format!("Bearer {}", server.token()))], "")
}
