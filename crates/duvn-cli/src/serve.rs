use crate::failure::{Failure, print_line, store_failure};
use crate::numbers::{jobs, port, size};
use crate::stop::flag_on_signal;
use duvn_lab::sweep::heed_requests;
use duvn_serve::{Options, ServeError, Server, Working};
use serde_json::json;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Show experiments in the browser, live while they run and just as well afterwards.
#[derive(clap::Args)]
pub struct Args {
    /// The folders of the experiments.
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// The port to listen at; 0 is any that is free.
    #[arg(long, default_value_t = 0, value_parser = port, allow_negative_numbers = true)]
    port: u16,
    /// The address to listen at. Whoever can reach it and knows the token sees the experiments, unencrypted.
    #[arg(long, value_name = "IP", default_value = "127.0.0.1", value_parser = address)]
    host: IpAddr,
    /// Open the page in the browser.
    #[arg(long)]
    open: bool,
    /// Let the page stop and resume sweeps; without it the page only shows.
    #[arg(long)]
    control: bool,
    /// Runs at a time of a sweep that is resumed from the page (default: one a core).
    #[arg(long, value_parser = size, allow_negative_numbers = true)]
    jobs: Option<usize>,
    /// One JSON object with url and token, once it listens.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let mut options = Options::new(args.folders.clone());
    (options.host, options.port, options.control) = (args.host, args.port, args.control);
    options.jobs = jobs(args.jobs)?;
    let stop = flag_on_signal()?;
    let server = Server::start(options).map_err(serve_failure)?;
    if args.json {
        print_line(&json!({ "url": server.url(), "token": server.token() }).to_string())?;
    } else {
        print_line(&server.url())?;
        eprintln!("Ctrl-C ends it; the address holds the token, so do not pass it on");
    }
    if args.open {
        open(&server.url());
    }
    wait(&stop);
    server.stop();
    Ok(())
}

fn address(text: &str) -> Result<IpAddr, String> {
    text.trim().parse().map_err(|_| "write an IP address of this machine, such as 127.0.0.1".into())
}

fn wait(stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Opens an address in the user's browser; where that fails, the address was printed.
fn open(url: &str) {
    let opener = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    let begun = Command::new(opener).arg(url).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    if begun.is_err() {
        eprintln!("duvn: there is no {opener} to open a browser with: open the address yourself");
    }
}

/// The failure that an error of the server is.
fn serve_failure(error: ServeError) -> Failure {
    match error {
        ServeError::Store(error) => store_failure(error),
        error @ (ServeError::Listen { .. } | ServeError::Nothing) => Failure::usage(error),
        error => Failure::failed(error),
    }
}

/// `--serve` and what goes with it, for commands that do runs.
#[derive(clap::Args)]
pub struct Beside {
    /// Show the runs in the browser while they go on, and until Ctrl-C once they are over.
    #[arg(long)]
    pub serve: bool,
    /// The port of --serve; 0 is any that is free.
    #[arg(long, default_value_t = 0, requires = "serve", value_parser = port, allow_negative_numbers = true)]
    port: u16,
    /// With --serve: let the page stop and resume the runs.
    #[arg(long, requires = "serve")]
    control: bool,
    /// With --serve: open the page in the browser.
    #[arg(long, requires = "serve")]
    open: bool,
}

/// A dashboard beside work that this program does.
pub struct Dashboard {
    server: Option<Server>,
    working: Working,
    signal: Arc<AtomicBool>,
}

impl Beside {
    /// Starts the dashboard, if it was asked for. `signal` is raised when the program is to end.
    pub fn start(&self, folder: &Path, jobs: usize, signal: Arc<AtomicBool>) -> Result<Dashboard, Failure> {
        if !self.serve {
            heed_requests(folder, &signal);
            let working = Working { stop: Arc::clone(&signal), ..Working::default() };
            return Ok(Dashboard { server: None, working, signal });
        }
        let working = Working::default();
        heed_requests(folder, &working.stop);
        mirror(&signal, &working.stop);
        let mut options = Options::new(vec![folder.to_path_buf()]);
        (options.port, options.control, options.jobs) = (self.port, self.control, jobs);
        options.working = Some(working.clone());
        let server = Server::start(options).map_err(serve_failure)?;
        eprintln!("dashboard: {}", server.url());
        if self.open {
            open(&server.url());
        }
        Ok(Dashboard { server: Some(server), working, signal })
    }
}

impl Dashboard {
    /// The flag that ends the work: raised by a signal, or from the page.
    pub fn stop_flag(&self) -> &AtomicBool {
        &self.working.stop
    }

    /// The work is over. Where there is a page, it stays until a signal comes.
    pub fn over(self) {
        self.working.over.store(true, Ordering::Relaxed);
        let Some(server) = self.server else { return };
        if !self.signal.load(Ordering::Relaxed) {
            eprintln!("the runs are over; the dashboard stays at {} until Ctrl-C", server.url());
            wait(&self.signal);
        }
        server.stop();
    }
}

/// Raises `to` soon after `from` is raised.
fn mirror(from: &Arc<AtomicBool>, to: &Arc<AtomicBool>) {
    let (from, to) = (Arc::clone(from), Arc::clone(to));
    let copy = move || {
        wait(&from);
        to.store(true, Ordering::Relaxed);
    };
    // Without a thread the page's own button still stops the work.
    let _ = std::thread::Builder::new().name("duvn-mirror".into()).spawn(copy);
}
