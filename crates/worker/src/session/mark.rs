//! Marks what the patterns of a filter match in cells that the page shows.

use tabletop_engine::Marker;
use tabletop_model::{Error, Result, wire};
use tabletop_protocol::{Answer, MarkAsk, Marks};

#[inline(never)]
pub(super) fn mark(ask: &[u8]) -> Result<Answer> {
    let MarkAsk { filter, rows } =
        wire::decode(ask).map_err(|_| Error::invalid("malformed request for marks"))?;
    let mut marker = Marker::new(&filter)?;
    let marks = Marks(rows.iter().map(|row| marker.mark(row)).collect());
    Ok(Answer::Marked(wire::encode(&marks).into()))
}
