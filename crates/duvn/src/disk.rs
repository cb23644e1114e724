//! Files that are written whole or not at all.
//!
//! A new file is written beside the old one, synchronised, and only then takes its name; the folder is synchronised
//! last. Whenever the program or the machine stops, the old file or the new one is there, and never a half of one.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
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
    path: PathBuf,
    beside: PathBuf,
    writer: Option<BufWriter<File>>,
}

/// Tells the unfinished files of one program apart.
static NEXT: AtomicU64 = AtomicU64::new(0);

impl WholeFile {
    /// A file that will be `path`.
    pub fn create(path: &Path) -> io::Result<Self> {
        // A name that says nothing: TensorBoard would read whatever has "tfevents" in it.
        let name = format!(".unfinished-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let beside = path.with_file_name(name);
        let writer = Some(BufWriter::new(File::create(&beside)?));
        Ok(WholeFile { path: path.into(), beside, writer })
    }

    /// Gives it its name.
    pub fn finish(mut self) -> io::Result<()> {
        let Some(writer) = self.writer.take() else { return Ok(()) };
        let named = writer
            .into_inner()
            .map_err(io::IntoInnerError::into_error)
            .and_then(|file| file.sync_all())
            .and_then(|()| RealDisk.rename(&self.beside, &self.path));
        if named.is_err() {
            let _ = RealDisk.remove(&self.beside);
        }
        named
    }
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
            let _ = RealDisk.remove(&self.beside);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap().flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn a_file_is_there_whole_or_as_it_was() {
        let folder = std::env::temp_dir().join(format!("duvn-disk-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
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
