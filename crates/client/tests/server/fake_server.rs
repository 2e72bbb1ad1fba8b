//! A server with fixed answers, in place of the browser's WebSocket: the page's scripts cannot
//! listen.

use std::fmt::Write;

use tabletop_model::wire;
use tabletop_protocol::{Answer, Ask, Job, JobAsk, JobSlice, LIVE_CLOSE_TOKEN, LIVE_PROTOCOL, Notice, RunId};
use wasm_bindgen::JsValue;

/// The token that the server takes.
pub const TOKEN: &str = "0123456789abcdef";

/// The answers of a server.
#[derive(Default)]
pub struct FakeServer {
    script: String,
}

impl FakeServer {
    /// Answers the request that opens a run with its first slice. The run is `None` if this is the
    /// last slice, too.
    pub fn on<J: Job>(mut self, request: &J::Request, run: Option<u32>, chunk: &J::Chunk) -> FakeServer {
        let ask = wire::encode(&Ask::Job(JobAsk::begin::<J>(request)));
        let slice = JobSlice { run: run.map(RunId), chunk: wire::encode(chunk).into() };
        let answer = wire::encode(&Answer::Job(Ok(slice)));
        let _ = writeln!(self.script, "if (is({ask:?})) return say(id, {answer:?});");
        self
    }

    /// Takes the place of all further WebSockets. The last one is `fakeSocket`, with its address as
    /// `url`.
    pub fn install(self) {
        let FakeServer { script } = self;
        let ready = wire::encode(&Notice::Ready);
        let class = format!(
            "globalThis.WebSocket = class {{
                constructor(url, protocols) {{
                    globalThis.fakeSocket = this;
                    this.url = url;
                    setTimeout(() => {{
                        if (protocols[0] !== '{LIVE_PROTOCOL}' || protocols[1] !== 'token.{TOKEN}') return this.end({LIVE_CLOSE_TOKEN}, '');
                        this.say(0, {ready:?});
                    }}, 20);
                }}
                say(id, bytes) {{
                    const frame = new Uint8Array(4 + bytes.length);
                    new DataView(frame.buffer).setUint32(0, id, true);
                    frame.set(bytes, 4);
                    const data = this.binaryType === 'arraybuffer' ? frame.buffer : null;
                    this.onmessage?.(new MessageEvent('message', {{ data }}));
                }}
                end(code, reason) {{ this.onclose?.(new CloseEvent('close', {{ code, reason }})); }}
                send(frame) {{
                    const id = new DataView(frame.buffer, frame.byteOffset).getUint32(0, true);
                    const body = [...frame.slice(4)];
                    const is = (bytes) => bytes.length === body.length && bytes.every((byte, at) => byte === body[at]);
                    const say = (id, bytes) => setTimeout(() => this.say(id, bytes), 0);
                    {script}
                }}
                close() {{ this.closed = true; }}
            }};"
        );
        js_sys::Function::new_no_args(&class).call0(&JsValue::NULL).expect("a script without mistakes");
    }
}
