//! Files that are written whole or not at all.
//!
//! A new file is written beside the old one, synchronised, and only then takes its name; the folder is synchronised
//! last. Whenever the program or the machine stops, the old file or the new one is there, and never a half of one.

use std::fs::{File, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What is asked of a file system. Tests put one in its place that fails, or that loses what was not synchronised.
pub trait Disk: std::fmt::Debug + Send + Sync {
    /// All bytes of a file.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;
    /// Whether there is a file of this name.
    fn exists(&self, path: &Path) -> bool;
    /// A file with these bytes, in the place of any that was there. They may be lost until [`Disk::sync`].
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;
    /// Makes the bytes of a file last.
    fn sync(&self, path: &Path) -> io::Result<()>;
    /// Gives a file another name, and takes that from any other. It may be undone until [`Disk::sync_folder`].
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Makes the names in a folder last.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;
    /// Takes a file away.
    fn remove(&self, path: &Path) -> io::Result<()>;
}

/// The file system of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealDisk;

impl Disk for RealDisk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        std::fs::read(path)
    }

    fn exists(&self, path: &Path) -> bool {
        path.exists()
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        File::create(path)?.write_all(bytes)
    }

    fn sync(&self, path: &Path) -> io::Result<()> {
        File::options().write(true).open(path)?.sync_all()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::rename(from, to)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        // Elsewhere a folder cannot be opened as a file, and a rename is durable by itself.
        if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        std::fs::remove_file(path)
    }
}

/// Puts `bytes` into the file `path`: all of them, or it stays as it was.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = WholeFile::create(path)?;
    file.write_all(bytes)?;
    file.finish()
}

/// A file that gets its name when it is finished; until then, the file that had the name before keeps it.
#[derive(Debug)]
pub struct WholeFile {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    beside: PathBuf,
    writer: Option<BufWriter<File>>,
}

/// How the names of unfinished files begin. They say nothing: TensorBoard would read whatever has "tfevents" in it.
const UNFINISHED: &str = ".unfinished-";

/// Tells the unfinished files of one program apart.
static NEXT: AtomicU64 = AtomicU64::new(0);

impl WholeFile {
    /// A file that will be `path`.
    pub fn create(path: &Path) -> io::Result<Self> {
        Self::create_on(Arc::new(RealDisk), path)
    }

    /// The same, where another disk makes its bytes and its name last.
    pub fn create_on(disk: Arc<dyn Disk>, path: &Path) -> io::Result<Self> {
        tidy(folder_of(path));
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let beside = path.with_file_name(format!("{UNFINISHED}{}-{number}", std::process::id()));
            let file = File::create(&beside)?;
            // Whoever tidies up may have come between: then it is gone.
            let taken = matches!(file.try_lock(), Err(TryLockError::WouldBlock)) || !beside.exists();
            if !taken {
                return Ok(WholeFile { disk, path: path.into(), beside, writer: Some(BufWriter::new(file)) });
            }
        }
    }

    /// Gives it its name.
    pub fn finish(mut self) -> io::Result<()> {
        let Some(writer) = self.writer.take() else { return Ok(()) };
        let name = || {
            // Its lock is held until it has its name.
            let _locked = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
            self.disk.sync(&self.beside)?;
            self.disk.rename(&self.beside, &self.path)
        };
        let named = name();
        if named.is_err() {
            let _ = self.disk.remove(&self.beside);
        }
        named?;
        self.disk.sync_folder(folder_of(&self.path))
    }
}

/// Removes what programs that were killed have left in a folder: unfinished files that nobody has locked.
fn tidy(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            let file = File::options().append(true).open(entry.path());
            if file.is_ok_and(|file| file.try_lock().is_ok()) {
                // Nothing rests on it.
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
}

/// The folder of a file; of a bare name, the one where the program is.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.as_mut().map_or(Ok(0), |writer| writer.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.as_mut().map_or(Ok(()), BufWriter::flush)
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        if let Some(writer) = self.writer.take() {
            // It was given up: what is there of it is of no use, and must not be written out.
            drop(writer.into_parts());
            let _ = self.disk.remove(&self.beside);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap().flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }

    /// A new folder.
    fn empty(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("duvn-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    /// A real disk that takes down what it is asked for, and refuses one request.
    #[derive(Debug)]
    struct Watched {
        asked: Mutex<Vec<&'static str>>,
        refused: usize,
    }

    impl Watched {
        fn ask(&self, what: &'static str) -> io::Result<()> {
            let mut asked = self.asked.lock().unwrap();
            asked.push(what);
            if asked.len() == self.refused { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
        }
    }

    impl Disk for Watched {
        fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
            RealDisk.read(path)
        }

        fn exists(&self, path: &Path) -> bool {
            RealDisk.exists(path)
        }

        fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
            RealDisk.write(path, bytes)
        }

        fn sync(&self, path: &Path) -> io::Result<()> {
            self.ask("sync").and_then(|()| RealDisk.sync(path))
        }

        fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
            self.ask("rename").and_then(|()| RealDisk.rename(from, to))
        }

        fn sync_folder(&self, folder: &Path) -> io::Result<()> {
            self.ask("sync the folder").and_then(|()| RealDisk.sync_folder(folder))
        }

        fn remove(&self, path: &Path) -> io::Result<()> {
            RealDisk.remove(path)
        }
    }

    #[test]
    fn a_file_lasts_before_it_has_its_name_and_its_name_lasts_before_it_is_said_to_be_there() {
        let folder = empty("lasting");
        let path = folder.join("agent");
        for refused in [1, 2, 3, 0] {
            write_whole(&path, b"old").unwrap();
            let disk = Arc::new(Watched { asked: Mutex::default(), refused });
            let mut file = WholeFile::create_on(disk.clone(), &path).unwrap();
            file.write_all(b"new").unwrap();
            assert_eq!(file.finish().is_err(), refused > 0, "request {refused}");
            let asked = disk.asked.lock().unwrap();
            let all = ["sync", "rename", "sync the folder"];
            assert_eq!(asked[..], all[..if refused > 0 { refused } else { 3 }]);
            let expected = if (1..3).contains(&refused) { b"old" } else { b"new" };
            assert_eq!((std::fs::read(&path).unwrap(), names(&folder).len()), (expected.to_vec(), 1));
        }
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(folder_of(Path::new("agent")), Path::new("."));
    }

    #[test]
    fn what_a_killed_program_left_goes_and_what_is_being_written_stays() {
        let folder = empty("tidy");
        for name in [".unfinished-1-0", ".unfinished-1-1", "other"] {
            std::fs::write(folder.join(name), b"half").unwrap();
        }
        let mut first = WholeFile::create(&folder.join("first")).unwrap();
        first.write_all(b"1").unwrap();
        assert_eq!(names(&folder).len(), 2, "{:?}", names(&folder));
        write_whole(&folder.join("second"), b"2").unwrap();
        first.finish().unwrap();
        let mut left = names(&folder);
        left.sort();
        assert_eq!(left, ["first", "other", "second"]);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_file_is_there_whole_or_as_it_was() {
        let folder = empty("disk");
        let path = folder.join("report.html");
        write_whole(&path, b"old").unwrap();
        let mut file = WholeFile::create(&path).unwrap();
        file.write_all(&[b'n'; 100_000]).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"old", "an unfinished file has no name");
        drop(file);
        assert_eq!((std::fs::read(&path).unwrap(), names(&folder).len()), (b"old".to_vec(), 1));
        let mut file = WholeFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        file.finish().unwrap();
        assert_eq!((std::fs::read(&path).unwrap(), names(&folder).len()), (b"new".to_vec(), 1));
        assert!(write_whole(&folder.join("nowhere/file"), b"x").is_err());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
