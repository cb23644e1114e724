//! Answers that are kept until there is something new.

use crate::limits::CACHE;
use bytes::Bytes;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Answers by question, each with the version of what it was made from.
#[derive(Default)]
pub struct Cache {
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    answers: HashMap<String, (u64, Bytes)>,
    bytes: usize,
}

impl Cache {
    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer, if it is still true.
    pub fn get(&self, question: &str, version: u64) -> Option<Bytes> {
        self.lock().answers.get(question).filter(|(made, _)| *made == version).map(|(_, bytes)| bytes.clone())
    }

    /// Keeps an answer. When there are too many, all are forgotten.
    pub fn put(&self, question: &str, version: u64, bytes: &Bytes) {
        let mut kept = self.lock();
        if kept.bytes + bytes.len() > CACHE {
            *kept = Kept::default();
        }
        kept.bytes += bytes.len();
        if let Some((_, old)) = kept.answers.insert(question.into(), (version, bytes.clone())) {
            kept.bytes -= old.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_lasts_as_long_as_its_version_and_memory_is_bounded() {
        let cache = Cache::default();
        cache.put("a", 1, &Bytes::from_static(b"x"));
        assert_eq!(cache.get("a", 1), Some(Bytes::from_static(b"x")));
        assert_eq!(cache.get("a", 2), None);
        let big = Bytes::from(vec![0; CACHE / 4]);
        (0..100).for_each(|at| cache.put(&at.to_string(), 0, &big));
        assert!(cache.lock().bytes <= CACHE && cache.lock().answers.len() <= 4);
    }
}
