//! The flags of Google's `cbt`, which precede its command and have one dash: `cbt -project p
//! -instance=i ls`.

use std::ffi::OsString;

/// Flags for Google's cloud, which are ignored. Each has a value.
const CLOUD_FLAGS: [&str; 8] = [
    "creds",
    "admin-endpoint",
    "data-endpoint",
    "cert-file",
    "user-agent",
    "auth-token",
    "timeout",
    "app-profile",
];

/// Flags of this program that have a value, with the earlier names of `--address`.
const OWN_FLAGS: [&str; 8] =
    ["project", "instance", "data", "address", "endpoint", "emulator", "token-file", "tls-cert"];

/// Returns the command line with cbt's flags written as this program's flags.
pub(crate) fn convert_cbt_flags(line: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut line = line.into_iter();
    let mut converted: Vec<OsString> = line.by_ref().take(2).collect();
    if converted.get(1).is_none_or(|command| command != "cbt") {
        converted.extend(line);
        return converted;
    }
    while let Some(word) = line.next() {
        let flag = word
            .to_str()
            .and_then(|text| text.strip_prefix('-'))
            .map(|text| text.strip_prefix('-').unwrap_or(text));
        let Some(flag) = flag.filter(|flag| !flag.is_empty()) else {
            // This is the command. Everything that follows belongs to it.
            converted.push(word);
            break;
        };
        let (name, has_value) = flag.split_once('=').map_or((flag, false), |(name, _)| (name, true));
        let is_kept = !CLOUD_FLAGS.contains(&name);
        let takes_next = !has_value && (OWN_FLAGS.contains(&name) || !is_kept);
        if is_kept {
            converted.push(if name.len() > 1 { format!("--{flag}").into() } else { word.clone() });
        }
        if takes_next {
            converted.extend(line.next().filter(|_| is_kept));
        }
    }
    converted.extend(line);
    converted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted(line: &str) -> String {
        let words = convert_cbt_flags(line.split(' ').map(OsString::from));
        words.iter().map(|word| word.to_str().expect("text")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn flags_before_the_command_are_cbt_flags() {
        assert_eq!(converted("t cbt -project p -instance=i ls"), "t cbt --project p --instance=i ls");
        assert_eq!(
            converted("t cbt -creds f.json -data-endpoint=x:1 -project p read t -x"),
            "t cbt --project p read t -x"
        );
        assert_eq!(converted("t cbt --data d -h"), "t cbt --data d -h");
        assert_eq!(converted("t cbt -address h:1 -endpoint h:2 ls"), "t cbt --address h:1 --endpoint h:2 ls");
        assert_eq!(converted("t cbt --keep-going -project"), "t cbt --keep-going --project");
        assert_eq!(converted("t cbt set t - -project"), "t cbt set t - -project");
        assert_eq!(converted("t run -project p"), "t run -project p");
        assert_eq!(converted("t"), "t");
    }
}
