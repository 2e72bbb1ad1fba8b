//! Pages of lists.

use tonic::Status;

use crate::grpc::status::invalid;

/// The prefix of tokens. It distinguishes this server's tokens from others.
const MARK: &str = "after:";

/// Returns the next items, at most `size` unless it is 0, and the token of the page after them,
/// which is empty after the last page. Items must be sorted by name. A token holds a name, so that
/// items created or deleted between two pages do not shift other items.
pub(super) fn page<T>(
    items: impl IntoIterator<Item = T>,
    name: impl Fn(&T) -> &str,
    size: i32,
    token: &str,
) -> Result<(Vec<T>, String), Status> {
    let size = match usize::try_from(size) {
        Ok(0) => usize::MAX,
        Ok(size) => size,
        Err(_) => {
            return Err(invalid(format!("Error in field 'page_size' : {size} is negative: use 0 for all")));
        }
    };
    let after = match token.strip_prefix(MARK) {
        Some(after) => after,
        None if token.is_empty() => "",
        None => {
            return Err(invalid(
                "Error in field 'page_token' : it is not a token of a list: leave it empty for the first page",
            ));
        }
    };
    let mut rest = items.into_iter().filter(|item| name(item) > after);
    let mut page = Vec::new();
    while page.len() < size {
        let Some(item) = rest.next() else { return Ok((page, String::new())) };
        page.push(item);
    }
    let next =
        if rest.next().is_some() { page.last().map(|last| format!("{MARK}{}", name(last))) } else { None };
    Ok((page, next.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_together_are_the_whole_list() {
        let items = ["a", "b", "c", "d"];
        let of = |size, token: &str| page(items, |item| item, size, token);
        assert_eq!(of(0, "").unwrap(), (items.to_vec(), String::new()));
        assert_eq!(of(2, "").unwrap(), (vec!["a", "b"], "after:b".into()));
        assert_eq!(of(2, "after:b").unwrap(), (vec!["c", "d"], String::new()), "nothing follows");
        assert_eq!(
            of(2, "after:bb").unwrap(),
            (vec!["c", "d"], String::new()),
            "the item of a token may have been deleted"
        );
        assert!(of(-1, "").is_err() && of(0, "b").is_err());
    }
}
