//! "Did you mean …?"

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Returns the end of a sentence about an unknown `word`: `. Did you mean iso?` with the candidate
/// nearest to it, or `. Choose a, b or c.` if none is near.
pub fn did_you_mean<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    let candidates: Vec<&str> = candidates.into_iter().collect();
    // A prefix is as near as one wrong letter, because half-typed text is a prefix.
    let begins = |candidate: &str| {
        word.len() >= 2 && candidate.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word))
    };
    let far = |candidate: &str| if begins(candidate) { 1 } else { distance(word, candidate) };
    let nearest = candidates.iter().map(|candidate| (far(candidate), *candidate)).min();
    match nearest {
        // At most half of the letters, and at most three, may differ.
        Some((distance, candidate)) if distance <= (candidate.chars().count() / 2).clamp(1, 3) => {
            format!(". Did you mean {candidate}?")
        }
        _ => match candidates.as_slice() {
            [] => ".".into(),
            [one] => format!(". Choose {one}."),
            [most @ .., last] if most.len() < 30 => format!(". Choose {} or {last}.", most.join(", ")),
            most => format!(". Choose {} or one of {} more.", most[..12].join(", "), most.len() - 12),
        },
    }
}

/// Returns the number of letters to insert, delete, replace or swap with their neighbour to turn
/// one word into the other, ignoring case.
fn distance(from: &str, to: &str) -> usize {
    let letters = |word: &str| -> Vec<char> { word.chars().map(|c| c.to_ascii_lowercase()).collect() };
    let (from, to) = (letters(from), letters(to));
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for i in 0..from.len() {
        let mut next = alloc::vec![i + 1];
        for j in 0..to.len() {
            let mut cost = (row[j] + usize::from(from[i] != to[j])).min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && from[i] == to[j - 1] && from[i - 1] == to[j] {
                cost = cost.min(before[j - 1] + 1);
            }
            next.push(cost);
        }
        before = core::mem::replace(&mut row, next);
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_or_all_words_are_suggested() {
        assert_eq!(did_you_mean("user_tokn", ["app_id", "user_token"]), ". Did you mean user_token?");
        assert_eq!(did_you_mean("user", ["app_id", "user_token"]), ". Did you mean user_token?");
        assert_eq!(did_you_mean("ISO", ["iso", "date"]), ". Did you mean iso?");
        assert_eq!(did_you_mean("ahsh", ["hash", "pad"]), ". Did you mean hash?");
        assert_eq!(did_you_mean("frobnicate", ["a", "b", "c"]), ". Choose a, b or c.");
        assert_eq!(did_you_mean("x", []), ".");
    }
}
