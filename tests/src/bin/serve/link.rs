//! A connection with little overhead: messages are encoded in advance, and only the counted parts
//! of answers are decoded.

use bytes::{Bytes, BytesMut};
use h2::client::SendRequest;
use tokio::net::TcpStream;

use crate::Result;

/// Number of bytes that the server may send before it has to wait for the client.
const WINDOW_BYTES: u32 = 64 << 20;
const FRAME_BYTES_MAX: u32 = 1 << 20;
const PREFIX_BYTES: usize = 5;

/// One connection. Clones share it.
#[derive(Clone)]
pub struct Link {
    sender: SendRequest<Bytes>,
    authority: String,
}

/// Counts of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Number of complete rows.
    pub rows: u64,
    /// Number of `MutateRows` entries that have a status other than OK.
    pub failures: u64,
}

impl Link {
    /// Connects.
    pub async fn to(address: &str) -> Result<Link> {
        let stream = TcpStream::connect(address)
            .await
            .map_err(|error| format!("cannot connect to {address}: {error}"))?;
        stream.set_nodelay(true).map_err(|error| error.to_string())?;
        let mut builder = h2::client::Builder::new();
        builder
            .initial_window_size(WINDOW_BYTES)
            .initial_connection_window_size(WINDOW_BYTES)
            .max_frame_size(FRAME_BYTES_MAX);
        let (sender, connection) =
            builder.handshake(stream).await.map_err(|error| format!("HTTP/2: {error}"))?;
        tokio::spawn(connection);
        Ok(Link { sender, authority: address.to_string() })
    }

    /// Sends a message from [`framed`], and reads the answer to its end.
    pub async fn call(&self, method: &str, message: Bytes) -> Result<Answer> {
        let failed = |error: h2::Error| format!("{method}: {error}");
        let request = http::Request::post(format!("http://{}/{method}", self.authority));
        let request = request.header("content-type", "application/grpc").header("te", "trailers").body(());
        let request = request.map_err(|error| format!("{method}: {error}"))?;
        let mut sender = self.sender.clone().ready().await.map_err(failed)?;
        let (answer, mut stream) = sender.send_request(request, false).map_err(failed)?;
        stream.send_data(message, true).map_err(failed)?;
        let (head, mut body) = answer.await.map_err(failed)?.into_parts();
        let mut counted = Answer::default();
        let mut rest = BytesMut::new();
        while let Some(data) = body.data().await {
            let data = data.map_err(failed)?;
            body.flow_control().release_capacity(data.len()).map_err(failed)?;
            rest.extend_from_slice(&data);
            while let Some(message) = next_message(&mut rest) {
                // Other answers are only checked for success.
                if !method.starts_with("google.bigtable.v2.") {
                    continue;
                }
                count(&message, &mut counted)
                    .ok_or_else(|| format!("{method}: an invalid message in the answer"))?;
            }
        }
        let trailers = body.trailers().await.map_err(failed)?.unwrap_or(head.headers);
        let field = |name: &str| trailers.get(name).and_then(|value| value.to_str().ok()).unwrap_or("");
        match field("grpc-status") {
            "0" => Ok(counted),
            status => Err(format!("{method}: status {status} {}", field("grpc-message"))),
        }
    }
}

/// A message with its gRPC frame.
pub fn framed(message: &impl prost::Message) -> Bytes {
    let length = message.encoded_len();
    let mut bytes = BytesMut::with_capacity(PREFIX_BYTES + length);
    bytes.extend_from_slice(&[0]);
    bytes.extend_from_slice(&(length as u32).to_be_bytes());
    message.encode(&mut bytes).expect("a buffer takes all that is written to it");
    bytes.freeze()
}

fn next_message(bytes: &mut BytesMut) -> Option<BytesMut> {
    let length = bytes.get(1..PREFIX_BYTES)?;
    let length = u32::from_be_bytes(length.try_into().expect("four bytes")) as usize;
    if bytes.len() < PREFIX_BYTES + length {
        return None;
    }
    let _prefix = bytes.split_to(PREFIX_BYTES);
    Some(bytes.split_to(length))
}

/// Counts the chunks of `ReadRowsResponse` (1) that commit a row (9), and the entries of
/// `MutateRowsResponse` (1) whose status (2) has a code (1). Both are at the same depth, so one
/// walk finds both.
fn count(message: &[u8], counted: &mut Answer) -> Option<()> {
    let mut message = message;
    while !message.is_empty() {
        let (1, Field::Bytes(mut part)) = field(&mut message)? else { continue };
        while !part.is_empty() {
            match field(&mut part)? {
                (9, Field::Number(1)) => counted.rows += 1,
                (2, Field::Bytes([8, code, ..])) if *code != 0 => counted.failures += 1,
                _ => {}
            }
        }
    }
    Some(())
}

enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

fn field<'a>(bytes: &mut &'a [u8]) -> Option<(u64, Field<'a>)> {
    let tag = varint(bytes)?;
    let value = match tag & 7 {
        0 => Field::Number(varint(bytes)?),
        2 => {
            let length = usize::try_from(varint(bytes)?).ok()?;
            let (value, rest) = bytes.split_at_checked(length)?;
            *bytes = rest;
            Field::Bytes(value)
        }
        _ => return None,
    };
    Some((tag >> 3, value))
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}
