//! Makes a program that records which of its functions run.

use walrus::ir::{Const, Instr, MemArg, Store, StoreKind, Value};
use walrus::{FunctionKind, LocalFunction, MemoryId, Module};

use crate::Result;

const PAGE_BYTES: u64 = 1 << 16;

/// The program, and the location of its records.
#[derive(Debug)]
pub struct Recording {
    pub wasm: Vec<u8>,
    /// The address of the records in its memory: one byte per function, which is 1 once the
    /// function has run.
    pub address: u64,
    /// The names of the functions, in the order of the records.
    pub names: Vec<String>,
}

/// Makes each function record that it runs. The records follow the memory that the linker has laid
/// out, so nothing else uses their bytes.
///
/// # Errors
/// An error if the program cannot be read or does not have a memory.
pub fn record_calls(wasm: &[u8]) -> Result<Recording> {
    let mut module =
        Module::from_buffer(wasm).map_err(|error| format!("the program cannot be read: {error:#}"))?;
    let memory = module.get_memory_id().map_err(|error| error.to_string())?;
    let address = module.memories.get(memory).initial * PAGE_BYTES;
    let mut names = Vec::new();
    for function in module.funcs.iter_mut() {
        if let (FunctionKind::Local(body), Some(name)) = (&mut function.kind, &function.name) {
            record_call(body, memory, address + names.len() as u64);
            names.push(name.clone());
        }
    }
    let pages = (names.len() as u64).div_ceil(PAGE_BYTES);
    let memory = module.memories.get_mut(memory);
    memory.initial += pages;
    memory.maximum = memory.maximum.map(|maximum| maximum.max(memory.initial));
    Ok(Recording { wasm: module.emit_wasm(), address, names })
}

fn record_call(body: &mut LocalFunction, memory: MemoryId, address: u64) {
    let entry = body.entry_block();
    let code = &mut body.block_mut(entry).instrs;
    let constant = |value: i32| Instr::from(Const { value: Value::I32(value) });
    let store =
        Store { memory, kind: StoreKind::I32_8 { atomic: false }, arg: MemArg { align: 1, offset: 0 } };
    let record = [constant(address as i32), constant(1), Instr::from(store)];
    code.splice(0..0, record.map(|instruction| (instruction, Default::default())));
}
