//! Creates the bindings of wasm-bindgen: a program that calls JavaScript through numbered imports,
//! and the script that provides the imports.

use walrus::Import;
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

/// Binds a linked program. The caller of the script passes either the address of the program or a
/// compiled program.
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
    // The linker's sections have already been read, and would be wrong in the bound program.
    let module = output.wasm_mut();
    let sections: Vec<_> =
        module.customs.iter().filter(|(_, section)| is_of_linker(section.name())).map(|(id, _)| id).collect();
    for id in sections {
        module.customs.delete(id);
    }
    let mut names = ShortNames::default();
    for import in module.imports.iter_mut() {
        names.rename(import);
    }
    let wasm = module.emit_wasm();
    Ok(Bound { js: names.in_script(output.js())?, wasm })
}

/// Short names of imports, in their order. The names of wasm-bindgen are long and contain hashes,
/// which do not compress.
#[derive(Debug, Default)]
struct ShortNames {
    modules: Vec<String>,
    functions: Vec<String>,
}

impl ShortNames {
    fn rename(&mut self, import: &mut Import) {
        let module = self.modules.iter().position(|module| *module == import.module).unwrap_or_else(|| {
            self.modules.push(import.module.clone());
            self.modules.len() - 1
        });
        self.functions.push(std::mem::replace(&mut import.name, short(self.functions.len())));
        import.module = short(module);
    }

    /// Renames the properties of the import objects.
    fn in_script(&self, js: &str) -> Result<String> {
        let modules = self
            .modules
            .iter()
            .enumerate()
            .map(|(number, name)| (format!("\"{name}\": import"), number, ": import"));
        let functions = self
            .functions
            .iter()
            .enumerate()
            .map(|(number, name)| (format!("{name}: function"), number, ": function"));
        let mut renamed = js.to_string();
        for (long, number, end) in modules.chain(functions) {
            if renamed.matches(&long).count() != 1 {
                return Err(format!("the script of wasm-bindgen does not contain \"{long}\" exactly once"));
            }
            renamed = renamed.replace(&long, &format!("{}{end}", short(number)));
        }
        Ok(renamed)
    }
}

/// Returns a number in base 26, as letters.
fn short(number: usize) -> String {
    let letter = char::from(b'a' + (number % 26) as u8);
    match number / 26 {
        0 => letter.to_string(),
        rest => short(rest - 1) + &letter.to_string(),
    }
}

fn is_of_linker(section: &str) -> bool {
    section == "linking" || section.starts_with("reloc.")
}

impl Bound {
    /// Returns the script with `more` at its end, and with a function of `more` among the program's
    /// imports.
    ///
    /// # Errors
    /// An error if the script does not have the expected form.
    pub fn with_imports_of(&self, module: &str, function: &str, more: &str) -> Result<String> {
        if self.js.matches(IMPORTS).count() != 1 {
            return Err(format!("the script of wasm-bindgen does not contain \"{IMPORTS}\" exactly once"));
        }
        let js = self.js.replace(IMPORTS, "function bound_imports(");
        Ok(format!(
            "{js}\nfunction __wbg_get_imports(...all) {{\n  return {{ ...bound_imports(...all), {module}: {{ {function} }} }};\n}}\n{more}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_differ() {
        let names = [0, 25, 26, 27, 701, 702].map(short);
        assert_eq!(names, ["a", "z", "aa", "ab", "zz", "aaa"]);
    }

    #[test]
    fn a_script_has_each_name_once() {
        let names = ShortNames {
            modules: vec!["./x.js".into()],
            functions: vec!["__wbg_log_12".into(), "__wbg_log_1".into()],
        };
        let js = "{ __wbg_log_1: function(a) {}, __wbg_log_12: function() {} } { \"./x.js\": import0 }";
        assert_eq!(
            names.in_script(js).as_deref(),
            Ok("{ b: function(a) {}, a: function() {} } { a: import0 }")
        );
        assert!(names.in_script(&js.replace("__wbg_log_1:", "other:")).is_err());
    }
}
