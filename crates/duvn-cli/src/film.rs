//! Pictures one after another, as a GIF file.

use crate::failure::Failure;
use duvn_lab::disk::WholeFile;
use gif::{Encoder, Frame, Repeat};
use std::path::{Path, PathBuf};

/// A GIF file that is being written.
pub struct Film {
    path: PathBuf,
    encoder: Encoder<WholeFile>,
    /// Hundredths of a second that a frame stays.
    delay: u16,
}

impl Film {
    /// An empty film of pictures of the given width and height, `speed` of them a second.
    pub fn new(path: &Path, (width, height): (u32, u32), speed: f64) -> Result<Self, Failure> {
        let failed = |error: &dyn std::fmt::Display| {
            Failure::usage(format!("cannot write {}: {error}; name another file with --gif", path.display()))
        };
        if path.is_dir() {
            return Err(failed(&"it is a folder"));
        }
        let file = WholeFile::create(path).map_err(|error| failed(&error))?;
        let mut encoder =
            Encoder::new(file, width as u16, height as u16, &[]).map_err(|error| failed(&error))?;
        encoder.set_repeat(Repeat::Infinite).map_err(|error| failed(&error))?;
        Ok(Film { path: path.into(), encoder, delay: (100.0 / speed).round() as u16 })
    }

    /// Adds a picture.
    pub fn add(&mut self, (width, height): (u32, u32), rgba: &mut [u8]) -> Result<(), Failure> {
        let mut frame = Frame::from_rgba_speed(width as u16, height as u16, rgba, 10);
        frame.delay = self.delay;
        self.encoder.write_frame(&frame).map_err(Failure::failed)
    }

    /// Writes the end of the file, which only now gets its name; gives its path.
    pub fn finish(self) -> Result<String, Failure> {
        let file = self.encoder.into_inner().map_err(Failure::failed)?;
        file.finish().map_err(Failure::failed)?;
        Ok(self.path.display().to_string())
    }
}
