//! `tabletop serve --page` as a process.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use super::serving::Serving;
use super::{Folder, tabletop};

/// Returns the address of the page that a server has printed: host with port, and token.
fn address(serving: &Serving) -> (String, String) {
    let rest = serving.greeting.split_once("The page is at http://").expect("an address").1;
    let (address, rest) = rest.split_once("/#server=").expect("a token");
    (address.to_owned(), rest.chars().take_while(char::is_ascii_hexdigit).collect())
}

fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("text");
    answer
}

#[test]
fn the_page_of_a_folder_is_served_with_a_token_of_the_run() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("site")).expect("made");
    std::fs::write(folder.path("site/index.html"), "<p>page").expect("written");
    let files = folder.path("site");
    let start =
        || Serving::start(&["--address", "127.0.0.1:0", "--page", "127.0.0.1:0", "--page-files", &files]);
    let (one, other) = (start(), start());
    let (page, token) = address(&one);
    assert!(get(&page, "/").ends_with("<p>page"));
    assert!(get(&page, "/live").starts_with("HTTP/1.1 426"));
    assert_eq!(token.len(), 32);
    assert_ne!(token, address(&other).1);
    let taken =
        tabletop(&["serve", "--address", "127.0.0.1:0", "--page", &page, "--page-files", &files]).failed(2);
    assert!(taken.contains(&page) && taken.contains("choose another address with --page"), "{taken}");
}

#[test]
fn a_server_without_a_page_or_for_everyone_says_what_to_do() {
    let folder = Folder::new();
    // Tests are built without TABLETOP_PAGE.
    let none = tabletop(&["serve", "--address", "127.0.0.1:0", "--page"]).failed(2);
    assert!(none.contains("built without the page") && none.contains("cargo xtask install"), "{none}");
    let empty = tabletop(&["serve", "--address", "127.0.0.1:0", "--page", "--page-files", &folder.path("")])
        .failed(2);
    assert!(empty.contains("index.html") && empty.contains("cargo xtask dist"), "{empty}");
    let open = tabletop(&["serve", "--address", "127.0.0.1:0", "--page", "0.0.0.0:0"]).failed(2);
    assert!(open.contains("--allow-anyone") && open.contains("other machines"), "{open}");
    assert!(tabletop(&["serve", "--page-files", "x"]).failed(2).contains("--page"));
    assert!(tabletop(&["serve", "--page", "nowhere"]).failed(2).contains("localhost:8086"));
}
