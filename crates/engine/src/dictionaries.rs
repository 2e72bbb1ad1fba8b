//! The dictionaries that stay in memory after a read has used them, so that the next read of the
//! same file finds its dictionary loaded.

use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::shared::Shared;
use crate::sstable::{Dictionary, Loaded};

/// Dictionaries of open SSTables, of all tables of an instance. The oldest ones that were not used
/// again are evicted (the CLOCK algorithm). A dictionary that a read or a compaction holds stays
/// until it is released, and is not counted.
#[derive(Debug)]
pub(crate) struct Dictionaries {
    bytes_max: u64,
    bytes: u64,
    kept: Vec<(Arc<Shared<Loaded>>, Arc<Dictionary>)>,
    /// The dictionary that is examined next.
    hand: usize,
}

/// The default limit in bytes, unless the host sets another.
pub(crate) const DICTIONARY_BYTES_MAX: u64 = 1 << 30;

impl Default for Dictionaries {
    fn default() -> Self {
        Dictionaries { bytes_max: DICTIONARY_BYTES_MAX, bytes: 0, kept: Vec::new(), hand: 0 }
    }
}

impl Dictionaries {
    /// Changes the limit.
    pub fn resize(&mut self, bytes_max: u64) {
        self.bytes_max = bytes_max;
        self.make_room(0);
    }

    /// Returns the total bytes of the dictionaries.
    #[cfg(test)]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Keeps a dictionary that was just loaded, unless it is larger than the limit for all.
    pub fn keep(&mut self, loaded: &Arc<Shared<Loaded>>, dictionary: &Arc<Dictionary>) {
        let bytes = dictionary.bytes();
        if bytes <= self.bytes_max {
            self.make_room(bytes);
            self.bytes += bytes;
            self.kept.push((loaded.clone(), dictionary.clone()));
        }
    }

    fn make_room(&mut self, bytes: u64) {
        while self.bytes + bytes > self.bytes_max && self.bytes > 0 {
            self.examine(bytes);
        }
    }

    /// Drops the next dictionary if its file is closed, or if it was not used again and `bytes`
    /// more would exceed the limit. Background work calls this too, so that no dictionary of a
    /// closed file stays for long.
    pub fn examine(&mut self, bytes: u64) {
        self.hand = if self.hand < self.kept.len() { self.hand } else { 0 };
        let Some((loaded, dictionary)) = self.kept.get(self.hand) else { return };
        let has_room = self.bytes + bytes <= self.bytes_max;
        if Arc::strong_count(loaded) > 1 && (has_room || core::mem::take(&mut loaded.lock().was_used)) {
            self.hand += 1;
        } else {
            self.bytes -= dictionary.bytes();
            self.kept.swap_remove(self.hand);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Loads the dictionary of a file, as a read does.
    fn load(dictionaries: &mut Dictionaries, loaded: &Arc<Shared<Loaded>>) {
        let known = loaded.lock().get();
        if known.is_none() {
            let dictionary = Arc::new(Dictionary::default());
            loaded.lock().set(&dictionary);
            dictionaries.keep(loaded, &dictionary);
        }
    }

    fn is_kept(loaded: &Arc<Shared<Loaded>>) -> bool {
        loaded.lock().dictionary.strong_count() > 0
    }

    proptest! {
        #[test]
        fn kept_dictionaries_fit_and_are_those_of_open_files(steps in prop::collection::vec((0usize..12, 0u8..8), 1..200), room in 0u64..8) {
            let bytes = Dictionary::default().bytes();
            let mut dictionaries = Dictionaries::default();
            dictionaries.resize(bytes * room + 1);
            let mut files: Vec<Arc<Shared<Loaded>>> = (0..12).map(|_| Arc::default()).collect();
            for (file, step) in steps {
                match step {
                    // The file is removed and its number reused.
                    0 => files[file] = Arc::default(),
                    1 => dictionaries.examine(0),
                    _ => {
                        load(&mut dictionaries, &files[file]);
                        prop_assert_eq!(is_kept(&files[file]), room > 0);
                    }
                }
                prop_assert!(dictionaries.bytes <= bytes * room);
                prop_assert_eq!(dictionaries.bytes, bytes * dictionaries.kept.len() as u64);
            }
            (0..dictionaries.kept.len() * 2).for_each(|_| dictionaries.examine(0));
            prop_assert_eq!(dictionaries.kept.len(), files.iter().filter(|file| is_kept(file)).count());
        }
    }

    #[test]
    fn dictionaries_that_are_used_again_stay() {
        let mut dictionaries = Dictionaries::default();
        dictionaries.resize(Dictionary::default().bytes() * 4);
        let files: Vec<Arc<Shared<Loaded>>> = (0..100).map(|_| Arc::default()).collect();
        for file in &files {
            load(&mut dictionaries, file);
            load(&mut dictionaries, &files[0]);
        }
        assert!(is_kept(&files[0]) && is_kept(&files[99]) && !is_kept(&files[50]));
    }

    #[test]
    fn one_that_is_in_use_is_found_although_it_is_not_kept() {
        let mut dictionaries = Dictionaries::default();
        let file: Arc<Shared<Loaded>> = Arc::default();
        load(&mut dictionaries, &file);
        let used = file.lock().get();
        dictionaries.resize(0);
        assert!(dictionaries.kept.is_empty() && is_kept(&file));
        drop(used);
        assert!(!is_kept(&file));
    }
}
