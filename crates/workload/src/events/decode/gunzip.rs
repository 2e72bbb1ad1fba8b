//! Files in gzip, of one member or several.

use std::io::Write;

use flate2::write::MultiGzDecoder;
use tabletop_model::{Error, Result};

/// The first bytes of each member.
pub(super) const MARK: &[u8] = b"\x1f\x8b";
/// The packed bytes that are unpacked at a time. Each one may become a thousand.
const PIECE_BYTES: usize = 4 << 10;

/// Unpacks gzip.
pub(super) struct Gunzip(MultiGzDecoder<Vec<u8>>);

impl Default for Gunzip {
    fn default() -> Self {
        Gunzip(MultiGzDecoder::new(Vec::new()))
    }
}

impl Gunzip {
    /// Appends what the next bytes of the file unpack to.
    ///
    /// # Errors
    /// `InvalidArgument` for a file that is damaged or cut off.
    pub(super) fn feed(&mut self, bytes: &[u8], last: bool, out: &mut Vec<u8>) -> Result<()> {
        for piece in bytes.chunks(PIECE_BYTES) {
            self.0.write_all(piece).map_err(damaged)?;
            out.append(self.0.get_mut());
        }
        if last {
            self.0.try_finish().map_err(damaged)?;
            out.append(self.0.get_mut());
        }
        Ok(())
    }
}

fn damaged(error: std::io::Error) -> Error {
    Error::invalid(format!(
        "The file is compressed with gzip and damaged, or cut off ({error}): compress it again, or unpack it first."
    ))
}
