//! The files of the page.

use std::borrow::Cow;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use tabletop_model::{Code, Error, Result};
use tabletop_site_server::{content_type, encodings, file_name};

/// Bytes that are decompressed at a time.
const BUFFER_BYTES: usize = 16 << 10;

/// The location of the page's files.
#[derive(Clone, Debug)]
pub enum PageFiles {
    /// A folder, as `cargo xtask dist` makes it.
    Folder(PathBuf),
    /// In the program: names and contents. A name that ends with `.br` is the compressed version of
    /// a file, which is then not stored itself.
    Embedded(&'static [(&'static str, &'static [u8])]),
}

/// A file as it is sent.
pub(super) struct PageFile {
    pub content_type: &'static str,
    /// The name of its compression.
    pub encoding: Option<&'static str>,
    pub body: Cow<'static, [u8]>,
}

impl PageFiles {
    /// Checks that there is a page.
    ///
    /// # Errors
    /// `FailedPrecondition` that says how to get one.
    pub fn check(&self) -> Result<()> {
        if self.find("", &[]).is_ok_and(|page| page.is_some()) {
            return Ok(());
        }
        let refused = |message: String| Err(Error::new(Code::FailedPrecondition, message));
        match self {
            PageFiles::Folder(folder) => refused(format!(
                "{} has no page: name a folder that has an index.html, as `cargo xtask dist` makes it, with --page-files",
                folder.display()
            )),
            PageFiles::Embedded(_) => refused(
                "this program was built without the page: name the folder of its files with --page-files (`cargo xtask dist` makes them in \
                 dist/), or install it again with `cargo xtask install`"
                    .into(),
            ),
        }
    }

    /// Returns the file at a path below `/`, compressed in a way that the browser accepts according
    /// to its `Accept-Encoding`. It never returns a file that is not part of the page.
    ///
    /// # Errors
    /// An error when a file cannot be read.
    pub(super) fn open(&self, path: &str, accept_encoding: &str) -> io::Result<Option<PageFile>> {
        self.find(path, &encodings(accept_encoding))
    }

    fn find(&self, path: &str, accepted: &[(&'static str, &'static str)]) -> io::Result<Option<PageFile>> {
        let Some(name) = file_name(path) else { return Ok(None) };
        match self {
            PageFiles::Folder(folder) => in_folder(folder, &name, accepted),
            PageFiles::Embedded(files) => embedded(files, &name, accepted),
        }
    }
}

fn in_folder(
    folder: &Path,
    name: &str,
    accepted: &[(&'static str, &'static str)],
) -> io::Result<Option<PageFile>> {
    let path = folder.join(name);
    let path = if path.is_dir() { path.join("index.html") } else { path };
    if !path.is_file() {
        return Ok(None);
    }
    let content_type = content_type(&path);
    let mut twins = accepted
        .iter()
        .map(|(encoding, kind)| (*encoding, PathBuf::from(format!("{}.{kind}", path.display()))));
    let (encoding, read) = match twins.find(|(_, twin)| twin.is_file()) {
        Some((encoding, twin)) => (Some(encoding), twin),
        None => (None, path),
    };
    Ok(Some(PageFile { content_type, encoding, body: fs::read(read)?.into() }))
}

fn embedded(
    files: &'static [(&'static str, &'static [u8])],
    name: &str,
    accepted: &[(&'static str, &'static str)],
) -> io::Result<Option<PageFile>> {
    let found = |name: &str| files.iter().find(|(known, _)| *known == name).map(|(_, body)| *body);
    let index = if name.is_empty() {
        "index.html".to_string()
    } else {
        format!("{}/index.html", name.trim_end_matches('/'))
    };
    for name in [name, &index] {
        let content_type = content_type(Path::new(name));
        if let Some(body) = found(name) {
            return Ok(Some(PageFile { content_type, encoding: None, body: body.into() }));
        }
        let Some(packed) = found(&format!("{name}.br")) else { continue };
        if accepted.iter().any(|(encoding, _)| *encoding == "br") {
            return Ok(Some(PageFile { content_type, encoding: Some("br"), body: packed.into() }));
        }
        // Some browsers accept Brotli over TLS only.
        let mut body = Vec::new();
        brotli::Decompressor::new(packed, BUFFER_BYTES).read_to_end(&mut body)?;
        return Ok(Some(PageFile { content_type, encoding: None, body: body.into() }));
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    static FILES: &[(&str, &[u8])] =
        &[("index.html", b"<p>page"), ("data/a b.csv.br", &[0x0b, 1, 0x80, b'x', b',', b'y', 3])];

    #[test]
    fn embedded_files_are_found_and_unpacked() {
        let files = PageFiles::Embedded(FILES);
        files.check().unwrap();
        let open = |path: &str, accept: &str| files.open(path, accept).unwrap();
        let page = open("", "br").unwrap();
        assert_eq!(
            (page.content_type, page.encoding, &*page.body),
            ("text/html; charset=utf-8", None, &b"<p>page"[..])
        );
        let packed = open("data/a%20b.csv", "gzip, br").unwrap();
        assert_eq!((packed.content_type, packed.encoding), ("text/csv; charset=utf-8", Some("br")));
        let plain = open("data/a%20b.csv", "gzip").unwrap();
        assert_eq!((plain.encoding, &*plain.body), (None, &b"x,y"[..]));
        for none in ["x", "../index.html", "%2e%2e/index.html", "/index.html", "data"] {
            assert!(open(none, "").is_none(), "{none}");
        }
        let error = PageFiles::Embedded(&[]).check().unwrap_err();
        assert!(
            error.message.contains("built without the page") && error.message.contains("--page-files"),
            "{error}"
        );
    }

    #[test]
    fn a_folder_without_a_page_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let error = PageFiles::Folder(folder.path().into()).check().unwrap_err();
        assert!(error.message.contains("cargo xtask dist"), "{error}");
    }
}
