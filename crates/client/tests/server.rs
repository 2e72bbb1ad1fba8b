//! The connection to a server, against one that is made for one test each.

mod fake_server;

use std::cell::RefCell;
use std::rc::Rc;

use fake_server::{FakeServer, TOKEN};
use tabletop_client::{Connection, Server, live_address, run_once};
use tabletop_model::{Code, Request, Response};
use tabletop_protocol::{AskInstance, InstanceRequest, LiveServer, WatchServer};
use wasm_bindgen::JsValue;
use wasm_bindgen_test::wasm_bindgen_test;

/// A connection, and what has happened to it.
fn connected(token: &str) -> (Server, Rc<RefCell<Vec<Connection>>>) {
    let events = Rc::new(RefCell::new(Vec::new()));
    let seen = events.clone();
    (Server::connect("ws://127.0.0.1:8087", token, move |event| seen.borrow_mut().push(event)), events)
}

fn run(script: &str) -> JsValue {
    js_sys::Function::new_no_args(script).call0(&JsValue::NULL).expect("a script without mistakes")
}

#[wasm_bindgen_test]
async fn requests_wait_for_the_server_and_are_answered() {
    let has = LiveServer { address: "127.0.0.1:8086".into(), clients: 3, ..LiveServer::default() };
    let request = InstanceRequest { instance: "projects/p/instances/i".into(), request: Request::ListTables };
    let response = Response::Tables(vec!["events".into()]);
    FakeServer::default()
        .on::<WatchServer>(&(), Some(1), &has)
        .on::<AskInstance>(&request, None, &response)
        .install();
    let (server, events) = connected(TOKEN);
    assert_eq!(run("return fakeSocket.url").as_string().as_deref(), Some("ws://127.0.0.1:8087/live"));
    assert_eq!(run_once::<WatchServer>(&server, &()).await, Ok(has));
    assert_eq!(run_once::<AskInstance>(&server, &request).await, Ok(response));
    assert_eq!(*events.borrow(), [Connection::Ready]);
    drop(server);
    assert!(run("return fakeSocket.closed === true").is_truthy());
    assert_eq!(events.borrow().len(), 1, "the side that ends a connection is not told about it");
}

#[wasm_bindgen_test]
async fn a_closed_connection_fails_what_waits_and_what_follows() {
    FakeServer::default().install();
    let (server, events) = connected(TOKEN);
    // The server never answers this.
    run("setTimeout(() => fakeSocket.end(1001, ''), 60)");
    let error = run_once::<WatchServer>(&server, &()).await.expect_err("no answer");
    assert_eq!(
        (error.code, error.message.as_str()),
        (Code::Unavailable, "the connection to the server has ended: it was stopped")
    );
    assert_eq!(run_once::<WatchServer>(&server, &()).await, Err(error.clone()));
    assert_eq!(server.ended(), Some(error.clone()));
    assert_eq!(*events.borrow(), [Connection::Ready, Connection::Ended(error)]);
}

#[wasm_bindgen_test]
async fn a_wrong_token_is_distinguished_from_a_stopped_server() {
    FakeServer::default().install();
    let (server, events) = connected("another");
    let error = run_once::<WatchServer>(&server, &()).await.expect_err("no answer");
    assert_eq!(*events.borrow(), [Connection::Refused(error)]);
    let (server, _) = connected(TOKEN);
    run("fakeSocket.end(1006, '')");
    assert_eq!(run_once::<WatchServer>(&server, &()).await.expect_err("no answer").code, Code::Unavailable);
}

#[wasm_bindgen_test]
async fn an_address_that_the_browser_refuses_ends_the_connection_at_once() {
    run("globalThis.WebSocket = class { constructor() { throw new SyntaxError('not an address'); } }");
    let (server, events) = connected(TOKEN);
    let error = run_once::<WatchServer>(&server, &()).await.expect_err("no answer");
    assert!(error.message.ends_with("not an address"), "{error}");
    assert_eq!(*events.borrow(), [Connection::Ended(error)]);
}

#[wasm_bindgen_test]
fn the_server_of_a_page_is_at_its_origin() {
    assert_eq!(live_address("http://127.0.0.1:8087"), "ws://127.0.0.1:8087");
    assert_eq!(live_address("https://example.com"), "wss://example.com");
}
