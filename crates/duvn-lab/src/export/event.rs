//! TensorBoard's event files: TFRecord frames around protocol-buffer messages.

use std::io::{Result, Write};

/// A file of events.
pub struct Events<W> {
    file: W,
}

impl<W: Write> Events<W> {
    /// An event file begins with an event that says its version.
    pub fn new(file: W, wall_time: f64) -> Result<Self> {
        let mut events = Events { file };
        let mut event = Message::default();
        event.double(1, wall_time);
        event.bytes(3, b"brain.Event:2");
        events.frame(&event.0)?;
        Ok(events)
    }

    /// One number under the name `tag`.
    pub fn scalar(&mut self, wall_time: f64, step: u64, tag: &str, value: f64) -> Result<()> {
        let mut scalar = Message::default();
        scalar.bytes(1, tag.as_bytes());
        scalar.float(2, value as f32);
        let mut summary = Message::default();
        summary.bytes(1, &scalar.0);
        let mut event = Message::default();
        event.double(1, wall_time);
        event.varint_field(2, step);
        event.bytes(5, &summary.0);
        self.frame(&event.0)
    }

    /// The settings of the run and how it ended, as the plugin for hyper-parameters reads them: one event that begins a
    /// session, one that ends it.
    pub fn hyper_parameters(
        &mut self,
        times: (f64, f64),
        settings: &[(&str, Setting<'_>)],
        ended: Ended,
    ) -> Result<()> {
        let mut start = Message::default();
        for (name, value) in settings {
            let mut entry = Message::default();
            entry.bytes(1, name.as_bytes());
            let mut struct_value = Message::default();
            match value {
                Setting::Number(number) => struct_value.double(2, *number),
                Setting::Text(text) => struct_value.bytes(3, text.as_bytes()),
                Setting::Flag(flag) => struct_value.varint_field(4, u64::from(*flag)),
            }
            entry.bytes(2, &struct_value.0);
            start.bytes(1, &entry.0);
        }
        start.double(5, times.0);
        self.plugin(times.0, "_hparams_/session_start_info", 3, &start)?;
        let mut end = Message::default();
        end.varint_field(1, ended as u64);
        end.double(2, times.1);
        self.plugin(times.1, "_hparams_/session_end_info", 4, &end)
    }

    /// A summary whose metadata are for the plugin `hparams`; `field` says which message of the plugin's `content` is.
    fn plugin(&mut self, wall_time: f64, tag: &str, field: u64, content: &Message) -> Result<()> {
        let mut data = Message::default();
        data.bytes(field, &content.0);
        let mut plugin = Message::default();
        plugin.bytes(1, b"hparams");
        plugin.bytes(2, &data.0);
        let mut metadata = Message::default();
        metadata.bytes(1, &plugin.0);
        let mut value = Message::default();
        value.bytes(1, tag.as_bytes());
        value.bytes(9, &metadata.0);
        let mut summary = Message::default();
        summary.bytes(1, &value.0);
        let mut event = Message::default();
        event.double(1, wall_time);
        event.bytes(5, &summary.0);
        self.frame(&event.0)
    }

    /// Writes what is still in memory.
    pub fn finish(mut self) -> Result<W> {
        self.file.flush()?;
        Ok(self.file)
    }

    /// A TFRecord: length, its checksum, data, their checksum.
    fn frame(&mut self, data: &[u8]) -> Result<()> {
        let length = (data.len() as u64).to_le_bytes();
        self.file.write_all(&length)?;
        self.file.write_all(&masked(crc32c(&length)).to_le_bytes())?;
        self.file.write_all(data)?;
        self.file.write_all(&masked(crc32c(data)).to_le_bytes())
    }
}

/// The value of a setting.
pub enum Setting<'a> {
    /// A number.
    Number(f64),
    /// A name or a list.
    Text(&'a str),
    /// A truth value.
    Flag(bool),
}

/// How a session ended, with the plugin's numbers.
#[derive(Clone, Copy)]
pub enum Ended {
    /// It is done.
    Success = 1,
    /// It failed.
    Failure = 2,
    /// It is not over.
    Running = 3,
}

/// A protocol-buffer message in the making.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn key(&mut self, field: u64, wire: u64) {
        self.varint(field << 3 | wire);
    }

    fn varint_field(&mut self, field: u64, value: u64) {
        self.key(field, 0);
        self.varint(value);
    }

    fn double(&mut self, field: u64, value: f64) {
        self.key(field, 1);
        self.0.extend(value.to_le_bytes());
    }

    fn bytes(&mut self, field: u64, bytes: &[u8]) {
        self.key(field, 2);
        self.varint(bytes.len() as u64);
        self.0.extend(bytes);
    }

    fn float(&mut self, field: u64, value: f32) {
        self.key(field, 5);
        self.0.extend(value.to_le_bytes());
    }
}

/// The checksum of TFRecords is rotated and shifted, so that a checksum of data that hold checksums stays
/// a good one.
fn masked(crc: u32) -> u32 {
    crc.rotate_right(15).wrapping_add(0xa282_ead8)
}

/// The CRC with Castagnoli's polynomial, bits reflected.
fn crc32c(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = table();
    !bytes.iter().fold(!0, |crc, &byte| TABLE[usize::from(crc as u8 ^ byte)] ^ (crc >> 8))
}

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 256 {
        let mut crc = at as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0x82f6_3b78 } else { crc >> 1 };
            bit += 1;
        }
        table[at] = crc;
        at += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_the_standard() {
        // The check value of CRC-32C, and the all-zero vector of RFC 3720.
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
        assert_eq!(crc32c(&[0; 32]), 0x8a91_36aa);
    }

    #[test]
    fn a_session_is_the_message_worked_out_by_hand() {
        let mut file = Vec::new();
        let mut events = Events { file: &mut file };
        let settings = [("k", Setting::Flag(true))];
        events.hyper_parameters((1.0, 2.0), &settings, Ended::Success).unwrap();
        // hparams { "k": bool_value } start_time_secs, inside field 3 of the plugin's message.
        let start =
            [&[0x0a, 0x07, 0x0a, 0x01, b'k', 0x12, 0x02, 0x20, 0x01, 0x29][..], &1f64.to_le_bytes()].concat();
        let content = [&[0x1a, start.len() as u8][..], &start].concat();
        let at =
            file.windows(content.len()).position(|window| window == content).expect("the session's start");
        let head = [&[0x0a, 0x07][..], b"hparams", &[0x12, content.len() as u8]].concat();
        assert_eq!(file[at - head.len()..at], head);
        let end = [&[0x22, 0x0b, 0x08, 0x01, 0x11][..], &2f64.to_le_bytes()].concat();
        assert!(file.windows(end.len()).any(|window| window == end), "the session's end");
    }

    #[test]
    fn a_scalar_is_the_message_worked_out_by_hand() {
        let mut file = Vec::new();
        let mut events = Events { file: &mut file };
        events.scalar(1.0, 300, "a", 0.5).unwrap();
        let data = [
            &[0x09][..],
            &1f64.to_le_bytes(),
            &[0x10, 0xac, 0x02, 0x2a, 0x0a, 0x0a, 0x08, 0x0a, 0x01, b'a', 0x15],
            &0.5f32.to_le_bytes(),
        ]
        .concat();
        assert_eq!(file[..8], (data.len() as u64).to_le_bytes());
        assert_eq!(file[12..12 + data.len()], data);
        assert_eq!(file.len(), 12 + data.len() + 4);
    }
}
