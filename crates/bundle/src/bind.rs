//! The bindings of wasm-bindgen: a program that calls JavaScript through numbered imports, and the script that provides the
//! imports.

use wasm_bindgen_cli_support::Bindgen;

use crate::Result;

/// The function of the script that collects what the program imports.
const IMPORTS: &str = "function __wbg_get_imports(";

/// A bound program, with the linker's names of its functions.
#[derive(Debug)]
pub struct Bound {
    pub js: String,
    pub wasm: Vec<u8>,
}

/// Binds a linked program. The script fetches `NAME_bg.wasm` from its own folder, unless its caller passes a program.
///
/// # Errors
/// The error of wasm-bindgen.
pub fn bind(linked: &[u8], name: &str) -> Result<Bound> {
    let mut bindgen = Bindgen::new();
    bindgen.input_bytes(name, linked.to_vec()).typescript(false).demangle(false);
    let bound = bindgen.web(true).and_then(Bindgen::generate_output);
    let mut output = bound.map_err(|error| format!("wasm-bindgen: {error:#}"))?;
    if output.snippets().values().any(|scripts| !scripts.is_empty()) || !output.local_modules().is_empty() {
        return Err("the program has scripts of its own, which are not copied".into());
    }
    // The linker's sections have been read, and would be wrong in the bound program.
    let module = output.wasm_mut();
    let notes: Vec<_> = module.customs.iter().filter(|(_, section)| is_of_linker(section.name())).map(|(id, _)| id).collect();
    for id in notes {
        module.customs.delete(id);
    }
    let wasm = module.emit_wasm();
    Ok(Bound { js: output.js().to_string(), wasm })
}

fn is_of_linker(section: &str) -> bool {
    section == "linking" || section.starts_with("reloc.")
}

impl Bound {
    /// Returns the script with `more` at its end, and with a function of `more` among the program's imports.
    ///
    /// # Errors
    /// When the script does not have the expected form.
    pub fn with_imports_of(&self, module: &str, function: &str, more: &str) -> Result<String> {
        if self.js.matches(IMPORTS).count() != 1 {
            return Err(format!("the script of wasm-bindgen does not have \"{IMPORTS}\" once"));
        }
        let js = self.js.replace(IMPORTS, "function bound_imports(");
        Ok(format!(
            "{js}\nfunction __wbg_get_imports(...all) {{\n  return {{ ...bound_imports(...all), {module}: {{ {function} }} }};\n}}\n{more}"
        ))
    }
}
