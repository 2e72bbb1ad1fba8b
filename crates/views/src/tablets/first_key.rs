//! The first key of a tablet, written into a tall one.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use tabletop_model::TabletView;

use crate::scene::Point;

/// The height of a line of text in a tablet, px.
pub const LINE: f64 = 16.0;
/// Padding at each side of a line of text in a tablet, px.
pub const PADDING: f64 = 3.0;

/// The width of a character of a key, px.
const CHARACTER: f64 = 6.7;
/// A key is written upwards in a tablet that is narrower than this, px.
const ACROSS_FROM: f64 = 120.0;
/// The least width of a tablet with a key, px.
const WIDTH_FROM: f64 = 15.0;
/// The fewest characters of a key that are informative.
const CHARACTERS_MIN: usize = 4;
/// A shorter common prefix is not left out: an ellipsis in its place would save little.
const COMMON_FROM: usize = 6;

/// Returns the first key of each tablet, without the leading words that all of them share. The
/// first tablet has none: it begins before all keys.
pub fn first_keys(tablets: &[TabletView]) -> Vec<String> {
    let keys: Vec<String> = tablets.iter().map(|tablet| tablet.start.to_string()).collect();
    let common = common_words(keys.get(1..).unwrap_or_default());
    let shorten = |key: String| match key.get(common..) {
        Some(rest) if common >= COMMON_FROM => format!("…{rest}"),
        _ => key,
    };
    keys.into_iter().map(shorten).collect()
}

/// Returns the bytes of the words that all keys begin with, each with the separator after it.
fn common_words(keys: &[String]) -> usize {
    let Some((first, others)) = keys.split_first().filter(|(_, others)| !others.is_empty()) else { return 0 };
    let same = |other: &String| first.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    let same = others.iter().map(same).min().unwrap_or(0);
    first.as_bytes()[..same]
        .iter()
        .rposition(|byte| byte.is_ascii_punctuation() && *byte != b'\\')
        .map_or(0, |at| at + 1)
}

/// The first key of a tablet as it is written into it.
#[derive(Clone, Debug, PartialEq)]
pub struct WrittenKey {
    /// The key, or its beginning.
    pub text: String,
    /// The place, px from the upper left corner of the tablet.
    pub at: Point,
    /// Whether the key is read from the bottom to the top, like the title on the spine of a book.
    pub is_upright: bool,
}

/// Returns a key at the foot of a tablet: across if it is wide, else upwards. `room` is the height
/// that the figures leave. `None` if too little of the key fits.
pub fn written_key(key: &str, width: f64, height: f64, room: f64) -> Option<WrittenKey> {
    let is_upright = width < ACROSS_FROM;
    let length = if is_upright { room } else { width } - 4.0 * PADDING;
    let text = cut(key, (length / CHARACTER) as usize);
    if text.is_empty() || width < WIDTH_FROM || room < LINE {
        return None;
    }
    let x = if is_upright { width / 2.0 + 3.5 } else { 2.0 * PADDING };
    Some(WrittenKey { text, at: (x, height - 2.0 * PADDING), is_upright })
}

/// Returns a key in at most this many characters: a longer one ends with an ellipsis.
fn cut(key: &str, most: usize) -> String {
    if most < CHARACTERS_MIN {
        return String::new();
    }
    match key.char_indices().nth(most) {
        Some(_) => key.chars().take(most - 1).chain(['…']).collect(),
        None => key.into(),
    }
}

#[cfg(test)]
mod tests {
    use alloc::borrow::ToOwned;

    use super::*;

    #[test]
    fn a_key_is_cut_at_its_end() {
        assert_eq!(
            [cut("é,2026", 6), cut("é,2026", 5), cut("é,2026", 4), cut("é,2026", 3)],
            ["é,2026", "é,20…", "é,2…", ""]
        );
    }

    #[test]
    fn what_all_keys_begin_with_is_left_out_by_whole_words() {
        let common =
            |keys: &[&str]| common_words(&keys.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>());
        assert_eq!(
            common(&["2019-05-28T00:10,a", "2019-05-28T00:20,b", "2019-05-28T05:00,c"]),
            "2019-05-".len()
        );
        assert_eq!(common(&["app-01,x", "app-02,y"]), "app-".len());
        assert_eq!(common(&["é#a", "é#b"]), "é#".len());
        assert_eq!([common(&["a,1"]), common(&[]), common(&["", "a"]), common(&["ab", "ac"])], [0; 4]);
    }
}
