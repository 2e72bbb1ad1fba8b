//! Names of functions that stay the same from one build to the next.
//!
//! The linker's name of a function ends in hashes of the compiler and of the crate's version. A
//! list of functions is recorded with one build and read with others, so both use the name without
//! them.

/// Returns the name of a function as in Rust's source, with the arguments of generics and without
/// hashes.
pub fn stable(symbol: &str) -> String {
    // wasm-bindgen appends this to functions that take or return JavaScript values.
    let symbol = symbol.strip_suffix(" externref shim").unwrap_or(symbol);
    let symbol = symbol
        .trim_end_matches(|c: char| c == '[' || c == ']' || c.is_ascii_digit() && symbol.ends_with(']'));
    let name = format!("{:#}", rustc_demangle::demangle(symbol));
    // Names of exports to JavaScript end in a hash: of a type, or of the crate, which wasm-bindgen
    // removes.
    match name.rsplit_once('_') {
        Some((front, hash)) if is_hash(hash.strip_prefix('h').unwrap_or(hash)) => {
            front.trim_end_matches('_').to_string()
        }
        _ => without_index(name),
    }
}

/// wasm-bindgen names the function that makes a closure by its types and by the index of a function
/// in this program, which any change of the program moves. Closures of the same types then have one
/// name.
fn without_index(name: String) -> String {
    const INDEX: &str = "shim_idx: ";
    match name.split_once(INDEX) {
        Some((front, rest)) => format!("{front}{}", rest.trim_start_matches(|c: char| c.is_ascii_digit())),
        None => name,
    }
}

fn is_hash(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_and_suffixes_are_ignored() {
        let cases = [
            ("_RNvCs1234_7mycrate3foo", "mycrate::foo"),
            ("_RNvCs1234_7mycrate3foo externref shim", "mycrate::foo"),
            ("_RNvCs1234_7mycrate3foo[12]", "mycrate::foo"),
            ("_RNvCs1234_7mycrate3foo[12] externref shim", "mycrate::foo"),
            ("_ZN7mycrate3foo17h0123456789abcdefE", "mycrate::foo"),
            ("closures_invoke__h0123456789abcdef", "closures_invoke"),
            ("tabletop_ready_ab8e88a733939716", "tabletop_ready"),
            ("tabletop_ready", "tabletop_ready"),
            (
                "Closure(Function { arguments: [Externref], shim_idx: 482, ret: Unit }) -> Externref",
                "Closure(Function { arguments: [Externref], , ret: Unit }) -> Externref",
            ),
            ("memcpy", "memcpy"),
            ("utf8_2", "utf8_2"),
        ];
        for (symbol, name) in cases {
            assert_eq!(stable(symbol), name, "{symbol}");
        }
    }
}
