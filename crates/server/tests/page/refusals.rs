//! What is served to whom.

use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;

use super::*;

/// Connects, and returns the code and reason with which the server ends the connection.
async fn closed(served: &Served, request: Request) -> (u16, String) {
    let stream = TcpStream::connect(served.address).await.unwrap();
    let (mut socket, _) = client_async(request, stream).await.unwrap();
    goodbye(&mut socket).await
}

async fn goodbye(socket: &mut Socket) -> (u16, String) {
    loop {
        match tokio::time::timeout(WAIT, socket.next())
            .await
            .expect("the server ends it")
            .expect("with a reason")
            .unwrap()
        {
            Message::Close(Some(CloseFrame { code, reason })) => return (code.into(), reason.to_string()),
            Message::Ping(_) => {}
            other => panic!("{other:?}"),
        }
    }
}

/// Returns the status of a handshake that is rejected.
async fn refused(served: &Served, request: Request) -> u16 {
    let stream = TcpStream::connect(served.address).await.unwrap();
    match client_async(request, stream).await.map(drop) {
        Err(Error::Http(answer)) => answer.status().as_u16(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_of_the_page_are_served_and_no_others() {
    let served = Served::start().await;
    let address = served.address;
    let get = async |head: &str| {
        served.http(&format!("{head}\r\nHost: {address}\r\nConnection: close\r\n\r\n")).await
    };
    let page = get("GET / HTTP/1.1").await;
    assert!(page.starts_with("HTTP/1.1 200") && page.ends_with("\r\n\r\n<p>page"), "{page}");
    for header in [
        "content-type: text/html",
        "cache-control: no-cache",
        "x-content-type-options: nosniff",
        "frame-ancestors 'none'",
    ] {
        assert!(page.contains(header), "{header}: {page}");
    }
    let head = get("HEAD / HTTP/1.1").await;
    assert!(head.contains("content-length: 7") && head.ends_with("\r\n\r\n"), "{head}");
    let packed = get("GET /data/a.csv?v=1 HTTP/1.1\r\nAccept-Encoding: gzip, br").await;
    assert!(
        packed.contains("content-encoding: br") && packed.ends_with("packed") && packed.contains("text/csv"),
        "{packed}"
    );
    assert!(get("GET /data/a.csv HTTP/1.1").await.ends_with("x,y"));
    for none in [
        "/x",
        "/../Cargo.toml",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/data/..%5c..",
        "/%ff",
        "/%2fetc/passwd",
    ] {
        let answer = get(&format!("GET {none} HTTP/1.1")).await;
        assert!(answer.starts_with("HTTP/1.1 404"), "{none}: {answer}");
    }
    assert!(get("POST / HTTP/1.1").await.starts_with("HTTP/1.1 405"));
    assert!(get("GET /live HTTP/1.1").await.starts_with("HTTP/1.1 426"));
    let evil = served.http("GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n").await;
    assert!(
        evil.starts_with("HTTP/1.1 403") && !evil.contains("<p>"),
        "a name that leads here is not enough: {evil}"
    );
    served.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_the_page_with_the_token_may_connect() {
    let served = Served::start().await;
    let port = served.address.port();
    let with = |name: &'static str, value: String| {
        let mut request = served.handshake();
        request.headers_mut().insert(name, value.parse().unwrap());
        request
    };
    for host in ["127.0.0.1", "localhost", "[::1]"] {
        let mut request = with("origin", format!("http://{host}:{port}"));
        request.headers_mut().insert("host", format!("{host}:{port}").parse().unwrap());
        let stream = TcpStream::connect(served.address).await.unwrap();
        assert!(client_async(request, stream).await.is_ok(), "{host}");
    }
    for origin in ["http://evil.example", "null", &format!("https://127.0.0.1:{port}"), "http://127.0.0.1:1"]
    {
        assert_eq!(refused(&served, with("origin", origin.into())).await, 403, "{origin}");
    }
    let mut without = served.handshake();
    without.headers_mut().remove("origin");
    assert_eq!(refused(&served, without).await, 403);
    assert_eq!(refused(&served, with("host", format!("evil.example:{port}"))).await, 403);
    let mut wrong = served.token.text().to_owned();
    wrong.replace_range(..1, if wrong.starts_with('0') { "1" } else { "0" });
    for protocols in [format!("tabletop, token.{wrong}"), "tabletop".into(), "tabletop, token.".into()] {
        let request = with("sec-websocket-protocol", protocols);
        // The client rejects answers without one of its protocols.
        assert_eq!(closed(&served, request).await.0, 4_401);
    }
    served.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn garbage_ends_its_own_connection_only() {
    let served = Served::start().await;
    let mut other = served.connect().await;
    let garbage = [
        (Message::Text("hello".into()), 1_003),
        (Message::Binary(vec![1, 0, 0].into()), 1_002),
        (Message::Binary(vec![0, 0, 0, 0, 1].into()), 1_002),
    ];
    for (message, code) in garbage {
        let mut socket = served.connect().await;
        socket.send(message).await.unwrap();
        assert_eq!(goodbye(&mut socket).await.0, code);
    }
    // A request that cannot be decoded is answered.
    for bytes in [vec![], vec![0xff; 100], (0..=255).collect()] {
        other.send(Message::Binary([&9_u32.to_le_bytes(), &bytes[..]].concat().into())).await.unwrap();
        let (id, answer) = receive(&mut other).await;
        assert!(id == 9 && matches!(wire::decode(&answer), Ok(Answer::Failed(_))), "{bytes:?}");
    }
    let watch = JobAsk::Begin { job: WatchTable::NAME.into(), request: vec![0xff; 9].into() };
    assert!(matches!(job(&mut other, watch).await, Err(JobError::Failed(_))));
    // A frame that claims to be huge ends the connection before its bytes arrive, and so do bytes
    // that are not a frame.
    for frame in [&[0x82, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 1, 2, 3, 4][..], &[0xff; 16], &[0x82, 3, 1, 2, 3]] {
        let mut socket = served.connect().await;
        socket.get_mut().write_all(frame).await.unwrap();
        let mut rest = Vec::new();
        let read = tokio::time::timeout(WAIT, socket.get_mut().read_to_end(&mut rest)).await;
        assert!(read.is_ok(), "the server ends it");
        // A ping may come first.
        let rest = rest.strip_prefix(&[0x89, 0]).unwrap_or(&rest);
        assert!(rest.is_empty() || rest[0] == 0x88, "with a frame that says why: {rest:?}");
    }
    begin::<WatchServer>(&mut other, &()).await.unwrap();
    served.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_number_of_pages_is_limited_and_places_come_back() {
    let served = Served::start().await;
    let mut sockets = Vec::new();
    for _ in 0..16 {
        sockets.push(served.connect().await);
    }
    let (code, why) = closed(&served, served.handshake()).await;
    assert!(code == 4_429 && why.contains("too many"), "{code} {why}");
    sockets.pop().unwrap().close(None).await.unwrap();
    let begun = std::time::Instant::now();
    let mut last = loop {
        let stream = TcpStream::connect(served.address).await.unwrap();
        let (mut socket, _) = client_async(served.handshake(), stream).await.unwrap();
        if matches!(socket.next().await, Some(Ok(Message::Binary(_)))) {
            break socket;
        }
        assert!(begun.elapsed() < WAIT, "a place comes back");
    };
    // Many simultaneous requests are all answered.
    for id in 1..=100 {
        last.send(frame(id, &Ask::Job(JobAsk::begin::<WatchServer>(&())))).await.unwrap();
    }
    let mut answered = std::collections::BTreeSet::new();
    while answered.len() < 100 {
        answered.insert(receive(&mut last).await.0);
    }
    // Clients are told that the server is stopping.
    served.stop.send(()).unwrap();
    assert_eq!(goodbye(&mut last).await.0, 1_001);
    served.task.await.unwrap();
    served.server.stop().await;
}
