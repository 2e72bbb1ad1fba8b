//! Installs tools. Only a tool that is missing or has a wrong version is installed, into one folder
//! of ours, so that nothing else on the machine changes. (The exceptions are the wasm target, which
//! rustup installs into the toolchain, and the browser and Go, which are packages of the system.)

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::Result;
use crate::run::{ask, cargo, command, find, read, run, timed};

/// The target that the page is compiled for.
pub const TARGET: &str = "wasm32-unknown-unknown";
/// The oldest usable version. Older ones fail on the bulk-memory instructions of current compilers.
const BINARYEN: u32 = 132;
const AXE: &str = "4.14.1";
const TYPESCRIPT: &str = "5.9.3";
const SQLITE: &str = "3.54.1-build1";
const DUCKDB: &str = "1.32.0";
/// DuckDB's client for Node.js, with its library.
const DUCKDB_CLIENT: &str = "1.5.6-r.1";
const PYTHON_CLIENT: &str = "google-cloud-bigtable==2.50.2";
const NODE_CLIENT: &str = "6.5.1";
/// The folder of Debian's packages for Go.
const GO_PACKAGES: &str = "/usr/share/gocode";

/// The tools' folder and search path.
pub struct Tools {
    folder: PathBuf,
    /// The search path of every command, with our folder first.
    pub path: OsString,
    /// Whether wasm-opt is available.
    optimises: bool,
}

/// The browser for tests.
pub struct Browser {
    /// Chromium or Chrome.
    pub chromium: PathBuf,
    /// The chromedriver of the same version.
    pub chromedriver: PathBuf,
}

impl Tools {
    /// Installs the missing tools to build the page.
    pub fn for_build() -> Result<Tools> {
        let mut tools = Tools::locate()?;
        tools.target()?;
        tools.optimises = tools.has_wasm_opt();
        Ok(tools)
    }

    /// Installs the missing tools to run tests in wasm: wasm-bindgen has the test runner.
    pub fn for_wasm_tests() -> Result<Tools> {
        let tools = Tools::locate()?;
        tools.target()?;
        tools.cargo_tool("wasm-bindgen", "wasm-bindgen-cli", &locked_wasm_bindgen()?, "1 to 2 minutes")?;
        Ok(tools)
    }

    /// Optimises a program in place, if wasm-opt is available.
    pub fn wasm_opt(&self, file: &Path, options: &[String]) -> Result<()> {
        if !self.optimises {
            return Ok(());
        }
        let file = file.to_string_lossy().into_owned();
        let mut command = self.command("wasm-opt", &[&format!("--output={file}"), &file]);
        command.args(options);
        run(command)
    }

    /// Makes a call of cargo with the browser in its environment.
    pub fn with_browser(&self, arguments: &[&str]) -> Result<Command> {
        let browser = self.browser()?;
        let mut command = self.cargo(arguments);
        command.env("TABLETOP_CHROMIUM", browser.chromium).env("TABLETOP_CHROMEDRIVER", browser.chromedriver);
        Ok(command)
    }

    /// Makes a command that has the tools on its search path.
    pub fn command(&self, program: &str, arguments: &[&str]) -> Command {
        // The system would look for a bare name on our own search path, not on that of the command.
        let file = find(&[program], &self.path).unwrap_or_else(|| program.into());
        let mut command = command(file, arguments);
        command.env("PATH", &self.path);
        command
    }

    /// Makes a call of cargo with the tools on its search path.
    pub fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = cargo(arguments);
        command.env("PATH", &self.path);
        command
    }

    /// Finds a browser and its driver, or installs Debian's.
    pub fn browser(&self) -> Result<Browser> {
        if let Some(browser) = self.find_browser() {
            return Ok(browser);
        }
        self.install_packages(
            "Chromium and chromedriver (about 1 minute)",
            &["chromium", "chromium-driver"],
        )?;
        self.find_browser().ok_or_else(|| {
            "the tests in a browser need Chromium (or Chrome) and the chromedriver of the same version.\n\
             Debian: apt-get install chromium chromium-driver. Elsewhere: put both on the PATH,\n\
             or name them in TABLETOP_CHROMIUM and TABLETOP_CHROMEDRIVER."
                .to_string()
        })
    }

    /// Installs and returns the script that finds accessibility faults in a page.
    pub fn axe(&self) -> Result<PathBuf> {
        Ok(self.npm_package("axe-core", AXE)?.join("axe.min.js"))
    }

    /// Installs the TypeScript compiler, and makes a call of it.
    pub fn typescript(&self) -> Result<Command> {
        self.npm_package("typescript", TYPESCRIPT)?;
        Ok(self.command("tsc", &[]))
    }

    /// Installs the stores that the engine is compared with in a browser, and returns the folder of
    /// the npm packages.
    pub fn peers(&self) -> Result<PathBuf> {
        self.npm_package("@sqlite.org/sqlite-wasm", SQLITE)?;
        self.npm_package("@duckdb/duckdb-wasm", DUCKDB)?;
        Ok(self.folder.join("node_modules"))
    }

    /// Installs DuckDB's client for Node.js, with which it is measured natively, and returns the
    /// folder of the npm packages.
    pub fn duckdb(&self) -> Result<PathBuf> {
        self.npm_package("@duckdb/node-api", DUCKDB_CLIENT)?;
        Ok(self.folder.join("node_modules"))
    }

    /// Installs Google's client for Node.js, and returns the folder of the npm packages.
    pub fn node_client(&self) -> Result<PathBuf> {
        self.npm_package("@google-cloud/bigtable", NODE_CLIENT)?;
        Ok(self.folder.join("node_modules"))
    }

    /// Compiles programs that use Google's client for Go, of Debian's packages, each of one source
    /// file, into a folder. Returns whether they are there: the packages may be missing.
    pub fn go_programs(&self, sources: &[PathBuf], folder: &Path) -> Result<bool> {
        let client = Path::new(GO_PACKAGES).join("src/cloud.google.com/go/bigtable");
        let go = || find(&["go"], &self.path).filter(|_| client.is_dir());
        if go().is_none() {
            self.install_packages(
                "Go and Google's client for it (half a minute)",
                &["golang-go", "golang-google-cloud-dev"],
            )?;
        }
        let Some(go) = go() else {
            eprintln!(
                "xtask: Google's client for Go and its emulator are NOT tested. They need Go, and Debian's packages in {GO_PACKAGES}:\n\
                 xtask: apt-get install golang-go golang-google-cloud-dev"
            );
            return Ok(false);
        };
        timed("build of the programs in Go (the first time half a minute)", || {
            for source in sources {
                let program = folder
                    .join(source.file_stem().unwrap_or_default())
                    .with_extension(std::env::consts::EXE_EXTENSION);
                let mut build =
                    command(&go, &["build", "-o", &program.to_string_lossy(), &source.to_string_lossy()]);
                // The packages are no modules.
                build
                    .env("GO111MODULE", "off")
                    .env("GOPATH", GO_PACKAGES)
                    .env("GOCACHE", self.folder.join("go"));
                run(build)?;
            }
            Ok(())
        })?;
        Ok(true)
    }

    /// Finds what RocksDB is compiled with, a C++ compiler and libclang, or installs Debian's.
    pub fn cpp_with_libclang(&self) -> Result<()> {
        let is_there = || find(&["c++", "g++", "clang++"], &self.path).is_some() && has_libclang();
        if !is_there() {
            self.install_packages("a C++ compiler and libclang (half a minute)", &["g++", "libclang-dev"])?;
        }
        if is_there() {
            return Ok(());
        }
        Err("RocksDB is compiled with a C++ compiler and libclang. Debian: apt-get install g++ libclang-dev.\n\
             Elsewhere: install LLVM, and name the folder of libclang in LIBCLANG_PATH."
            .into())
    }

    /// Installs packages of Debian, if that is possible here.
    fn install_packages(&self, what: &str, packages: &[&str]) -> Result<()> {
        let may_install =
            ask(command("id", &["-u"])).as_deref() == Some("0") && find(&["apt-get"], &self.path).is_some();
        if !may_install {
            return Ok(());
        }
        timed(&format!("{what} from the system's packages"), || {
            run(command("apt-get", &["update", "-qq"]))?;
            let mut install = command("apt-get", &["install", "-y", "-qq", "--no-install-recommends"]);
            install.args(packages).env("DEBIAN_FRONTEND", "noninteractive");
            run(install)
        })
    }

    /// Installs Google's client for Python into a virtual environment, and returns its Python.
    pub fn python_with_client(&self) -> Result<PathBuf> {
        let folder = self.folder.join("clients");
        let python = python_in(&folder);
        let (package, version) = PYTHON_CLIENT.split_once("==").unwrap_or((PYTHON_CLIENT, ""));
        let question = format!("import importlib.metadata as m; print(m.version(\"{package}\"))");
        let is_there = || ask(command(&python, &["-c", &question])).as_deref() == Some(version);
        if is_there() {
            return Ok(python);
        }
        timed(&format!("{PYTHON_CLIENT} into {} (half a minute; once)", folder.display()), || {
            self.python_environment(&folder, "the official client")?;
            let quiet = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", PYTHON_CLIENT];
            run(command(&python, &quiet))?;
            if is_there() {
                Ok(())
            } else {
                Err(format!("{PYTHON_CLIENT} was installed but is not of that version"))
            }
        })?;
        Ok(python)
    }

    /// Makes a virtual environment of Python, which `what` needs.
    fn python_environment(&self, folder: &Path, what: &str) -> Result<()> {
        let found = find(&["python3", "python"], &self.path).ok_or_else(|| {
            format!("{what} needs Python: install Python 3.9 or newer, with its module venv.")
        })?;
        run(command(found, &["-m", "venv", "--clear", &folder.to_string_lossy()]))
    }

    /// Fetches the packages with files of the corpus, in the versions that
    /// `tests/corpus/packages.json` lists.
    pub fn corpus(&self) -> Result<()> {
        let list = read(&crate::root().join("tests/corpus/packages.json"))?;
        let list: Value = serde_json::from_str(&list).map_err(|error| format!("packages.json: {error}"))?;
        let packages = |registry: &str| -> Vec<(String, String)> {
            let packages = list[registry].as_object().into_iter().flatten();
            packages
                .filter_map(|(name, facts)| Some((name.clone(), facts["version"].as_str()?.into())))
                .collect()
        };
        for (name, version) in packages("npm") {
            self.npm_package(&name, &version)?;
        }
        let folder = self.folder.join("corpus");
        let target = |name: &str, version: &str| folder.join(format!("{name}-{version}"));
        let mut missing = packages("pypi");
        missing.retain(|(name, version)| !target(name, version).is_dir());
        if missing.is_empty() {
            return Ok(());
        }
        timed(&format!("files of the corpus into {} (half a minute; once)", folder.display()), || {
            let environment = folder.join("python");
            self.python_environment(&environment, "the corpus")?;
            for (name, version) in missing {
                let target = target(&name, &version);
                // A folder that exists is complete.
                let unfinished = target.with_extension("part");
                let mut pip = command(python_in(&environment), &["-m", "pip", "install", "--quiet"]);
                pip.args(["--disable-pip-version-check", "--no-deps", "--no-compile", "--only-binary=:all:"])
                    .args(["--ignore-requires-python", "--upgrade", "--target"])
                    .arg(&unfinished)
                    .arg(format!("{name}=={version}"));
                run(pip)?;
                std::fs::rename(&unfinished, &target)
                    .map_err(|error| format!("cannot make {}: {error}", target.display()))?;
            }
            Ok(())
        })
    }

    /// Finds the tools' folder without installing any tool.
    pub fn locate() -> Result<Tools> {
        let variable =
            |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let cache = || {
            let home = variable("HOME").or_else(|| variable("USERPROFILE"))?;
            Some(variable("XDG_CACHE_HOME").unwrap_or_else(|| home.join(".cache")).join("tabletop/tools"))
        };
        let folder = variable("TABLETOP_TOOLS")
            .or_else(cache)
            .ok_or("there is no folder for the tools: set HOME or TABLETOP_TOOLS.")?;
        let folder =
            std::path::absolute(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let old = std::env::var_os("PATH").unwrap_or_default();
        let cargo_home = variable("CARGO_HOME").or_else(|| Some(variable("HOME")?.join(".cargo")));
        let ours = [folder.join("bin"), folder.join("node_modules/.bin")];
        let all = ours
            .into_iter()
            .chain(std::env::split_paths(&old))
            .chain(cargo_home.map(|home| home.join("bin")));
        let path = std::env::join_paths(all).map_err(|error| format!("the PATH: {error}"))?;
        Ok(Tools { folder, path, optimises: false })
    }

    /// Installs the compiler's target for browsers if it is missing.
    pub fn target(&self) -> Result<()> {
        let is_there = || {
            let folder = ask(command("rustc", &["--print", "target-libdir", "--target", TARGET]));
            folder.is_some_and(|folder| Path::new(&folder).is_dir())
        };
        if is_there() {
            return Ok(());
        }
        timed(&format!("Rust's target {TARGET} (some seconds)"), || {
            run(self.command("rustup", &["target", "add", TARGET])).map_err(|error| {
                format!("{error}\nWithout rustup, install the standard library for {TARGET} with your system's packages.")
            })
        })
    }

    fn cargo_tool(&self, program: &str, package: &str, version: &str, time: &str) -> Result<()> {
        let is_there = || {
            let text = ask(self.command(program, &["--version"])).unwrap_or_default();
            text.split_whitespace().nth(1) == Some(version)
        };
        if is_there() {
            return Ok(());
        }
        let root = self.folder.to_string_lossy().into_owned();
        let named = format!("{package}@{version}");
        timed(&format!("{named} into {root} ({time}; once)"), || {
            // A prebuilt tool takes seconds, if cargo-binstall is installed.
            if find(&["cargo-binstall"], &self.path).is_some()
                && run(self.cargo(&["binstall", "--no-confirm", "--root", &root, &named])).is_ok()
                && is_there()
            {
                return Ok(());
            }
            let mut install = self.cargo(&["install", "--root", &root, &named]);
            // Compiler flags and the target folder of this workspace are not meant for tools.
            install.env_remove("CARGO_TARGET_DIR").env_remove("RUSTFLAGS");
            run(install)?;
            if is_there() {
                Ok(())
            } else {
                Err(format!("{program} was installed but is not of version {version}"))
            }
        })
    }

    /// Installs wasm-opt if it is missing, and reports whether it is available. Without it, the
    /// page is larger but works.
    fn has_wasm_opt(&self) -> bool {
        let is_there = || {
            let text = ask(self.command("wasm-opt", &["--version"])).unwrap_or_default();
            text.split_whitespace()
                .filter_map(|word| word.parse().ok())
                .any(|version: u32| version >= BINARYEN)
        };
        if is_there() {
            return true;
        }
        let failure = match self.npm(&format!("binaryen@{BINARYEN}")) {
            Ok(()) if is_there() => return true,
            Ok(()) => "wasm-opt was installed but does not start".to_string(),
            Err(error) => error,
        };
        eprintln!(
            "xtask: {failure}\nxtask: building WITHOUT wasm-opt: the page works, but is larger and slower than it should be."
        );
        false
    }

    /// Installs a package in this version if it is missing, and returns its folder.
    fn npm_package(&self, name: &str, version: &str) -> Result<PathBuf> {
        let package = self.folder.join("node_modules").join(name);
        if !read(&package.join("package.json")).is_ok_and(|text| text.contains(&format!("\"{version}\""))) {
            self.npm(&format!("{name}@{version}"))?;
        }
        Ok(package)
    }

    fn npm(&self, package: &str) -> Result<()> {
        if find(&["npm"], &self.path).is_none() {
            return Err(format!(
                "{package} is installed with npm, which is not on the PATH: install Node.js 18 or newer."
            ));
        }
        let folder = self.folder.to_string_lossy().into_owned();
        timed(&format!("{package} into {folder} (some seconds; once)"), || {
            std::fs::create_dir_all(&self.folder)
                .map_err(|error| format!("cannot make {folder}: {error}"))?;
            let quiet =
                ["--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error", "--save-exact"];
            let mut install = self.command("npm", &["install", "--prefix", &folder, package]);
            install.args(quiet).current_dir(&self.folder);
            run(install)
        })
    }

    fn find_browser(&self) -> Option<Browser> {
        let named =
            |variable: &str| std::env::var_os(variable).map(PathBuf::from).filter(|file| file.is_file());
        let chromium = named("TABLETOP_CHROMIUM").or_else(|| find(&CHROMIUM, &self.path))?;
        let chromedriver = named("TABLETOP_CHROMEDRIVER").or_else(|| find(&["chromedriver"], &self.path))?;
        Some(Browser { chromium, chromedriver })
    }
}

/// Returns the Python of a virtual environment.
fn python_in(environment: &Path) -> PathBuf {
    if cfg!(windows) { environment.join("Scripts/python.exe") } else { environment.join("bin/python") }
}

const CHROMIUM: [&str; 5] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/// Reports whether libclang is in one of the folders where it is looked for.
fn has_libclang() -> bool {
    let named = std::env::var_os("LIBCLANG_PATH").map(PathBuf::from);
    let llvm =
        std::fs::read_dir("/usr/lib").into_iter().flatten().flatten().map(|entry| entry.path().join("lib"));
    let others = [
        "/usr/lib64",
        "/usr/lib/x86_64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu",
        "/opt/homebrew/opt/llvm/lib",
    ];
    named.into_iter().chain(llvm).chain(others.map(PathBuf::from)).any(|folder| {
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
        files.map(|file| file.file_name().to_string_lossy().into_owned()).any(|name| {
            ["libclang.so", "libclang.dylib", "libclang-"].iter().any(|known| name.starts_with(known))
                && !name.contains("cpp")
        })
    })
}

/// Returns the version of wasm-bindgen in the lock file. Its test runner must have exactly this
/// version.
fn locked_wasm_bindgen() -> Result<String> {
    let lock = read(&crate::root().join("Cargo.lock"))?;
    let version =
        lock.split_once("name = \"wasm-bindgen\"\nversion = \"").and_then(|(_, rest)| rest.split('"').next());
    version.map(str::to_string).ok_or_else(|| "Cargo.lock names no wasm-bindgen".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_file_says_which_wasm_bindgen() {
        let version = locked_wasm_bindgen().expect("the workspace has wasm-bindgen");
        assert!(version.split('.').count() == 3 && version.starts_with("0."), "{version}");
    }
}
