//! What all requests share.

use crate::cache::Cache;
use crate::conductor::Conductor;
use crate::error::ServeError;
use crate::guard::Guard;
use crate::limits::{CONNECTIONS, STREAMS, WAITING};
use duvn_lab::board::{Beliefs, Board};
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Semaphore, watch};

/// One experiment.
pub struct Shown {
    board: Mutex<Board>,
    /// The board's version, to be read without waiting for it.
    version: AtomicU64,
    /// What went wrong when the records were last looked at.
    fault: Mutex<Option<String>>,
    /// What it is called among the others: its heading, with its folder where several have the same.
    pub label: String,
    /// The name.
    pub name: String,
}

impl Shown {
    /// The board; whoever has it works on it alone.
    pub fn board(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The version of what can be seen.
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// What went wrong when the records were last looked at.
    pub fn fault(&self) -> Option<String> {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// An episode that was played, kept for its pictures.
pub struct Played {
    /// Its number.
    pub id: u64,
    /// The pictures.
    pub pictures: Vec<Vec<u8>>,
}

/// Everything.
pub struct Shared {
    /// The experiments.
    pub shown: Vec<Shown>,
    /// Who may ask.
    pub guard: Guard,
    /// Stops and resumes sweeps.
    pub conductor: Conductor,
    /// Answers that are kept.
    pub cache: Cache,
    /// What checkpoints believe.
    pub beliefs: Mutex<Beliefs>,
    /// Episodes at play.
    pub played: Mutex<VecDeque<Played>>,
    /// The number of the next one.
    pub next: AtomicU64,
    /// Room for connections.
    pub connections: Arc<Semaphore>,
    /// Room for event streams.
    pub streams: Arc<Semaphore>,
    /// Room for answers that take work.
    pub waiting: Arc<Semaphore>,
    /// Changes whenever something can be seen that could not before.
    pub news: watch::Sender<u64>,
}

/// Opens every folder.
pub fn open(folders: &[PathBuf]) -> Result<Vec<Board>, ServeError> {
    if folders.is_empty() {
        return Err(ServeError::Nothing);
    }
    folders.iter().map(|folder| Ok(Board::open(folder)?)).collect()
}

/// Names by which boards can be told apart: headings, with the folders where several have the same.
fn labels(boards: &[Board]) -> Vec<String> {
    let title = |board: &Board| match board.show.title.as_str() {
        "" => board.name.clone(),
        title => title.to_string(),
    };
    let titles: Vec<String> = boards.iter().map(title).collect();
    let label = |(board, title): (&Board, &String)| {
        let alike = titles.iter().filter(|other| *other == title).count();
        let folder = board.folder().file_name().map(|name| name.to_string_lossy().into_owned());
        folder.filter(|_| alike > 1).map_or_else(|| title.clone(), |folder| format!("{title} ({folder})"))
    };
    boards.iter().zip(&titles).map(label).collect()
}

impl Shared {
    /// For these boards.
    pub fn new(boards: Vec<Board>, guard: Guard, conductor: Conductor) -> Self {
        let labels = labels(&boards);
        let shown = |(board, label): (Board, String)| Shown {
            version: AtomicU64::new(board.version()),
            fault: Mutex::new(None),
            label,
            name: board.name.clone(),
            board: Mutex::new(board),
        };
        Shared {
            shown: boards.into_iter().zip(labels).map(shown).collect(),
            guard,
            conductor,
            cache: Cache::default(),
            beliefs: Mutex::default(),
            played: Mutex::default(),
            next: AtomicU64::new(0),
            connections: Arc::new(Semaphore::new(CONNECTIONS)),
            streams: Arc::new(Semaphore::new(STREAMS)),
            waiting: Arc::new(Semaphore::new(WAITING)),
            news: watch::Sender::new(0),
        }
    }

    /// Takes in what is new in the records.
    pub fn refresh(&self) {
        let mut news = false;
        for (e, shown) in self.shown.iter().enumerate() {
            let mut board = shown.board();
            let (found, fault) = match board.refresh() {
                Ok(found) => (found, None),
                Err(error) => (false, Some(error.to_string())),
            };
            let mut known = shown.fault.lock().unwrap_or_else(PoisonError::into_inner);
            let changed = self.conductor.changed(e) || *known != fault;
            *known = fault;
            if found || changed {
                // What is said beside the records has changed as well as they: every answer is made anew.
                shown.version.fetch_add(1, Ordering::Release);
                news = true;
            }
        }
        if news {
            self.news.send_modify(|count| *count += 1);
        }
    }
}
