//! Makes the site from `index.html`. Links with the attribute `data-trunk` name the parts of the
//! site, in Trunk's terms, so that plain `trunk serve` works, too: `rust` (the program), `css`,
//! `icon`, `inline`, `copy-file`, `copy-dir`.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::Result;
use crate::csp;
use crate::program::Program;
use crate::run::{copy, read, write};
use crate::styles;

/// A link of `index.html`.
#[derive(Debug, PartialEq)]
struct Link<'a> {
    place: Range<usize>,
    attributes: BTreeMap<&'a str, &'a str>,
}

/// A site that is being built.
struct Site<'a> {
    /// The folder of `index.html` and of the files that it names.
    source: PathBuf,
    folder: &'a Path,
    /// The prefix of addresses: "./" or the address of the site.
    base: &'a str,
}

/// Returns the page's options of wasm-opt.
pub fn wasm_opt_options(source: &Path) -> Result<Vec<String>> {
    let html = read(&source.join("index.html"))?;
    let links = links(&html)?;
    let program = links
        .iter()
        .find(|link| link.get("rel") == Some("rust"))
        .ok_or("index.html names no program (rel=\"rust\")")?;
    let level = program.get("data-wasm-opt").map(|level| format!("-O{level}"));
    let more = program.get("data-wasm-opt-params").unwrap_or_default().split_whitespace().map(str::to_string);
    Ok(level.into_iter().chain(more).collect())
}

/// Writes the page and all files that it names into an empty folder.
pub fn write_site(source: &Path, program: &Program, folder: &Path, base: &str) -> Result<()> {
    let site = Site { source: source.to_path_buf(), folder, base };
    let html = read(&source.join("index.html"))?;
    let links = links(&html)?;
    let mut style = String::new();
    for link in links.iter().filter(|link| link.get("rel") == Some("css")) {
        style += &styles::sheet(source, link.need("href")?)?;
    }
    // All style sheets are joined in one file, which is linked in the place of the first.
    let mut style = Some(without(&style, "/*", "*/"));
    let mut page = String::new();
    let mut end = 0;
    for link in &links {
        page += &html[end..link.place.start];
        end = link.place.end;
        page += &match link.need("rel")? {
            "rust" => site.program(program)?,
            "css" => match style.take() {
                Some(text) => {
                    let name = site.hashed("tabletop.css", text.as_bytes())?;
                    format!("<link rel=\"stylesheet\" href=\"{base}{name}\" />")
                }
                None => String::new(),
            },
            "icon" => site.icon(link)?,
            "inline" => {
                let text = read(&source.join(link.need("href")?))?;
                if link.get("type") == Some("js") { format!("<script>\n{text}</script>") } else { text }
            }
            "copy-file" => site.copied(link, link.need("href")?.rsplit('/').next().unwrap_or_default())?,
            "copy-dir" => site.copied(link, link.need("data-target-path")?)?,
            other => {
                return Err(format!(
                    "index.html has a link of the kind \"{other}\", which xtask does not support"
                ));
            }
        };
    }
    page += &html[end..];
    // Sites that show a preview of a link need the full address of its picture.
    let page = page.replace("content=\"./", &format!("content=\"{base}"));
    write(&folder.join("index.html"), &csp::with_hashes(&shortened(&page))?)
}

impl Site<'_> {
    /// Returns the script that starts the program, and the links that make the browser fetch all
    /// parts immediately.
    fn program(&self, program: &Program) -> Result<String> {
        let (base, size) = (self.base, program.early.len());
        let early = self.hashed("tabletop.wasm", &program.early)?;
        let mut script = program.script.clone();
        if let Some(later) = &program.later {
            script = script.replace(program.later_name, &self.hashed("tabletop-later.wasm", later)?);
        }
        let script = self.hashed("tabletop.js", without(&script, "/**", "*/").as_bytes())?;
        // The address of a module may be a path or a full address.
        Ok(format!(
            "<script type=\"module\">\nimport start from \"{base}{script}\";\nconst program = fetch(\"{base}{early}\");\n\
             program.then((response) => showFetched(response.clone(), {size}));\nstart({{ module_or_path: program }});\n</script>\n\
             <link rel=\"modulepreload\" href=\"{base}{script}\" crossorigin=\"anonymous\" />\n\
             <link rel=\"preload\" href=\"{base}{early}\" crossorigin=\"anonymous\" as=\"fetch\" type=\"application/wasm\" />"
        ))
    }

    fn icon(&self, link: &Link<'_>) -> Result<String> {
        let file = link.need("href")?;
        let path = self.source.join(file);
        let bytes =
            std::fs::read(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        let name = self.hashed(file.rsplit('/').next().unwrap_or(file), &bytes)?;
        let kind = link.get("type").map(|kind| format!(" type=\"{kind}\"")).unwrap_or_default();
        Ok(format!("<link rel=\"icon\"{kind} href=\"{}{name}\" />", self.base))
    }

    fn copied(&self, link: &Link<'_>, to: &str) -> Result<String> {
        copy(&self.source.join(link.need("href")?), &self.folder.join(to))?;
        Ok(String::new())
    }

    /// Writes a file and returns its name, which contains a hash of its content so that browsers
    /// may cache it.
    fn hashed(&self, name: &str, bytes: &[u8]) -> Result<String> {
        let (stem, kind) = name.rsplit_once('.').unwrap_or((name, ""));
        let hash: String = Sha256::digest(bytes).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        let name = format!("{stem}-{hash}.{kind}");
        let path = self.folder.join(&name);
        std::fs::write(&path, bytes).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        Ok(name)
    }
}

impl<'a> Link<'a> {
    fn get(&self, name: &str) -> Option<&'a str> {
        self.attributes.get(name).copied()
    }

    fn need(&self, name: &str) -> Result<&'a str> {
        self.get(name).ok_or_else(|| format!("a link of index.html lacks {name}: {:?}", self.attributes))
    }
}

/// Returns the links with `data-trunk`, in order.
fn links(html: &str) -> Result<Vec<Link<'_>>> {
    let mut links = Vec::new();
    for (start, opening) in html.match_indices("<link data-trunk ") {
        let rest = &html[start..];
        let end = rest.find('>').ok_or("a link of index.html has no end")?;
        let inside = rest[opening.len()..end].trim_end_matches('/');
        // The pieces of `a="b" c d="e f"` are `a=`, `b`, ` c d=`, `e f`.
        let pieces: Vec<&str> = inside.split('"').collect();
        let named = pieces
            .chunks_exact(2)
            .filter_map(|pair| Some((pair[0].trim_end_matches('=').split_whitespace().last()?, pair[1])));
        links.push(Link { place: start..start + end + 1, attributes: named.collect() });
    }
    Ok(links)
}

/// Removes comments, empty lines and indents from a page and its scripts.
fn shortened(html: &str) -> String {
    let html = without(html, "<!--", "-->");
    let lines = html.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines.map(|line| format!("{line}\n")).collect()
}

fn without(text: &str, from: &str, to: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(from) {
        kept += before;
        rest = after.split_once(to).map_or("", |(_, after)| after);
    }
    kept + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "<!doctype html>\n<meta content=\"script-src 'self' 'wasm-unsafe-eval'\" />\n<!-- a\nnote -->\n\
        <link data-trunk rel=\"rust\" href=\"app/Cargo.toml\" data-wasm-no-import data-wasm-opt=\"2\" data-wasm-opt-params=\"-a 1\" />\n\
        <link data-trunk rel=\"icon\" type=\"image/svg+xml\" href=\"www/icon.svg\" />\n\
        <link data-trunk rel=\"css\" href=\"www/a.css\" />\n<link data-trunk rel=\"css\" href=\"www/b.css\" />\n\
        <link data-trunk rel=\"copy-file\" href=\"www/worker.js\" />\n\
        <link data-trunk rel=\"copy-dir\" href=\"www/data\" data-target-path=\"samples\" />\n\
        <link data-trunk rel=\"inline\" type=\"html\" href=\"www/part.html\" />\n<script>\n  // A note.\n  go();\n</script>\n\
        <link data-trunk rel=\"inline\" type=\"js\" href=\"www/part.js\" />\n";

    #[test]
    fn a_site_has_all_that_its_page_names() {
        let temporary = tempfile::tempdir().expect("a temporary folder");
        let source = temporary.path();
        let folder = source.join("site");
        let files = [
            ("index.html", PAGE),
            ("www/icon.svg", "<svg/>"),
            ("www/a.css", "a {}/* first */\n"),
            ("www/b.css", "b {}\n"),
            ("www/worker.js", "work()"),
            ("www/data/x.csv", "1,2"),
            ("www/part.html", "<b>part</b>"),
            ("www/part.js", "// A note.\nrun();\n"),
        ];
        for (name, text) in files {
            write(&source.join(name), text).expect("written");
        }
        std::fs::create_dir_all(&folder).expect("made");
        let program = Program {
            script: "/** docs */load(\"program_later.wasm\")".into(),
            early: b"early".to_vec(),
            later: Some(b"later".to_vec()),
            later_name: "program_later.wasm",
        };
        write_site(source, &program, &folder, "./").expect("a site");

        let named = |start: &str| {
            let names = std::fs::read_dir(&folder).expect("a folder").flatten();
            let mut names: Vec<String> =
                names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
            names.retain(|name| name.starts_with(start));
            let [name] = &names[..] else { panic!("{start}: {names:?}") };
            (name.clone(), read(&folder.join(name)).expect("text"))
        };
        let page = read(&folder.join("index.html")).expect("a page");
        let (style, text) = named("tabletop-later-");
        assert!(text == "later" && style.ends_with(".wasm"));
        let (script, text) = named_with(&folder, ".js", "tabletop-");
        assert_eq!(text, format!("load(\"{style}\")"));
        let (css, text) = named_with(&folder, ".css", "tabletop-");
        assert_eq!(text, "a {}\nb {}\n");
        let (icon, _) = named("icon-");
        for part in [
            format!("import start from \"./{script}\""),
            format!("<link rel=\"modulepreload\" href=\"./{script}\""),
            format!("<link rel=\"stylesheet\" href=\"./{css}\" />"),
            format!("<link rel=\"icon\" type=\"image/svg+xml\" href=\"./{icon}\" />"),
            "<script>\ngo();\n</script>".to_string(),
            "\n<b>part</b>\n".to_string(),
            "<script>\nrun();\n</script>".to_string(),
        ] {
            assert!(page.contains(&part), "{part} is not in:\n{page}");
        }
        assert!(!page.contains("data-trunk") && !page.contains("note"), "{page}");
        assert_eq!(page.matches("'sha256-").count(), 3, "{page}");
        assert_eq!(read(&folder.join("worker.js")), Ok("work()".to_string()));
        assert_eq!(read(&folder.join("samples/x.csv")), Ok("1,2".to_string()));
        assert_eq!(wasm_opt_options(source), Ok(vec!["-O2".to_string(), "-a".to_string(), "1".to_string()]));
    }

    /// Returns the name and text of the only file with this extension and prefix.
    fn named_with(folder: &Path, kind: &str, start: &str) -> (String, String) {
        let names = std::fs::read_dir(folder).expect("a folder").flatten();
        let mut names: Vec<String> =
            names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.retain(|name| name.starts_with(start) && name.ends_with(kind));
        let [name] = &names[..] else { panic!("{start}…{kind}: {names:?}") };
        (name.clone(), read(&folder.join(name)).expect("text"))
    }
}
