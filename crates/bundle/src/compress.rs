//! Writes compressed copies of files, which static hosts send: `name.br` and `name.gz` next to
//! `name`.

use std::fs;
use std::io::{self, Write};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::thread;

use flate2::Compression;
use flate2::write::GzEncoder;
use zopfli::{Format, Options};

/// The kinds of files that are compressed.
const KINDS: [&str; 9] = ["html", "js", "css", "wasm", "json", "svg", "csv", "md", "webmanifest"];
/// Files up to this size get brotli's best quality. It takes 20 times longer than the lower quality
/// and saves a tenth. Larger files are samples, which are fetched on demand.
const BEST_BYTES_MAX: usize = 4 << 20;
/// Files up to this size get zopfli's gzip, 4% smaller than gzip's best: the part of the program
/// that is fetched first, above all. It takes 8 seconds for each megabyte.
const ZOPFLI_BYTES_MAX: usize = 2 << 20;
/// More rounds save 0.2% and take twice as long.
const ZOPFLI_ROUNDS: NonZeroU64 = NonZeroU64::MIN;
const BEST: u32 = 11;
const GOOD: u32 = 9;
/// The size of a browser's brotli window: 4 MiB.
const WINDOW_BITS: u32 = 22;

/// Writes the twins of all files in a folder and its subfolders. Twins of files that are unchanged
/// since `old` are copied.
///
/// # Errors
/// An error if a file cannot be read or written.
pub fn folder(folder: &Path, old: &Path) -> io::Result<()> {
    let mut files = Vec::new();
    collect(folder, &mut files)?;
    thread::scope(|scope| {
        let twins = |file: &PathBuf| twins(file, &old.join(file.strip_prefix(folder).unwrap_or(file)));
        let jobs: Vec<_> = files.iter().map(|file| scope.spawn(move || twins(file))).collect();
        jobs.into_iter()
            .try_for_each(|job| job.join().unwrap_or_else(|_| Err(io::Error::other("a compressor panicked"))))
    })
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().and_then(|kind| kind.to_str()).is_some_and(|kind| KINDS.contains(&kind)) {
            files.push(path);
        }
    }
    Ok(())
}

fn twins(file: &Path, old: &Path) -> io::Result<()> {
    let bytes = fs::read(file)?;
    let is_same = fs::read(old).is_ok_and(|old| old == bytes);
    for (kind, compress) in [("gz", gzip as fn(&[u8]) -> io::Result<Vec<u8>>), ("br", brotli)] {
        let [new, old] = [file, old].map(|path| format!("{}.{kind}", path.display()));
        if !is_same || fs::copy(&old, &new).is_err() {
            fs::write(new, compress(&bytes)?)?;
        }
    }
    Ok(())
}

fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    if bytes.len() <= ZOPFLI_BYTES_MAX {
        let mut smallest = Vec::new();
        let options = Options { iteration_count: ZOPFLI_ROUNDS, ..Options::default() };
        return zopfli::compress(options, Format::Gzip, bytes, &mut smallest).map(|()| smallest);
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}

fn brotli(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let quality = if bytes.len() > BEST_BYTES_MAX { GOOD } else { BEST };
    let mut writer = brotli::CompressorWriter::new(Vec::new(), 1 << 16, quality, WINDOW_BITS);
    writer.write_all(bytes)?;
    Ok(writer.into_inner())
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn compressed_files_decode_to_their_originals() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (new, old) = (folder.path().join("new"), folder.path().join("old"));
        fs::create_dir_all(new.join("data")).expect("made");
        fs::create_dir_all(old.join("data")).expect("made");
        let text = "a,b\n".repeat(1_000);
        for file in ["data/a.csv", "same.js", "picture.png"] {
            fs::write(new.join(file), &text).expect("written");
        }
        fs::write(old.join("same.js"), &text).expect("written");
        fs::write(old.join("same.js.br"), "from before").expect("written");
        fs::write(old.join("data/a.csv"), "other").expect("written");
        fs::write(old.join("data/a.csv.gz"), "from before").expect("written");
        super::folder(&new, &old).expect("compressed");

        let mut unpacked = String::new();
        flate2::read::GzDecoder::new(fs::File::open(new.join("data/a.csv.gz")).expect("a twin"))
            .read_to_string(&mut unpacked)
            .expect("gzip");
        assert_eq!(unpacked, text);
        unpacked.clear();
        brotli::Decompressor::new(fs::File::open(new.join("data/a.csv.br")).expect("a twin"), 4096)
            .read_to_string(&mut unpacked)
            .expect("brotli");
        assert_eq!(unpacked, text);
        assert_eq!(fs::read_to_string(new.join("same.js.br")).expect("a twin"), "from before");
        assert!(new.join("same.js.gz").is_file() && !new.join("picture.png.gz").exists());
    }
}
