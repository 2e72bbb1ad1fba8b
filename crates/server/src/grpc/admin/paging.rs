//! Lists in pages.

use tonic::Status;

use crate::grpc::status::invalid;

/// What tokens begin with, so that those of somebody else are told from ours.
const MARK: &str = "after:";

/// The next items, at most `size` unless it is 0, and the token of the page behind them; empty if there is none. Items come in
/// the order of their names, which the tokens tell: so what is created or deleted meanwhile moves no other item.
pub(super) fn page<T>(
    items: impl IntoIterator<Item = T>,
    name: impl Fn(&T) -> &str,
    size: i32,
    token: &str,
) -> Result<(Vec<T>, String), Status> {
    let size = match usize::try_from(size) {
        Ok(0) => usize::MAX,
        Ok(size) => size,
        Err(_) => return Err(invalid(format!("Error in field 'page_size' : {size} is negative: 0 asks for all"))),
    };
    let after = match token.strip_prefix(MARK) {
        Some(after) => after,
        None if token.is_empty() => "",
        None => {
            return Err(invalid("Error in field 'page_token' : it is none that a list gave: leave it empty for the first page"));
        }
    };
    let mut rest = items.into_iter().filter(|item| name(item) > after);
    let mut page = Vec::new();
    while page.len() < size {
        let Some(item) = rest.next() else { return Ok((page, String::new())) };
        page.push(item);
    }
    let next = if rest.next().is_some() { page.last().map(|last| format!("{MARK}{}", name(last))) } else { None };
    Ok((page, next.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_the_list() {
        let items = ["a", "b", "c", "d"];
        let of = |size, token: &str| page(items, |item| item, size, token);
        assert_eq!(of(0, "").unwrap(), (items.to_vec(), String::new()));
        assert_eq!(of(2, "").unwrap(), (vec!["a", "b"], "after:b".into()));
        assert_eq!(of(2, "after:b").unwrap(), (vec!["c", "d"], String::new()), "there is nothing behind it");
        assert_eq!(of(2, "after:bb").unwrap(), (vec!["c", "d"], String::new()), "what a token names may have gone");
        assert!(of(-1, "").is_err() && of(0, "b").is_err());
    }
}
