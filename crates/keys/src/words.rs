//! The words of a field's name.

use alloc::string::String;
use alloc::vec::Vec;

/// Returns the words of a name, in small letters. They end at other characters than letters and digits, and
/// before a capital letter that follows a small one: `deviceId` and `device_id` have the same words.
pub fn words_of(name: &str) -> Vec<String> {
    let mut words = alloc::vec![String::new()];
    let mut was_small = false;
    for character in name.chars() {
        let is_part = character.is_alphanumeric();
        if !is_part || (was_small && character.is_uppercase()) {
            words.push(String::new());
        }
        if is_part {
            words.last_mut().expect("there is one").extend(character.to_lowercase());
        }
        was_small = character.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::words_of;

    #[test]
    fn names_in_several_styles_have_the_same_words() {
        for name in ["deviceId", "device_id", "Device ID", " device-id_", "DEVICE__ID"] {
            assert_eq!(words_of(name), ["device", "id"], "{name}");
        }
        assert_eq!(words_of("DayofMonth"), ["dayof", "month"]);
        assert_eq!(words_of("größeInCm"), ["größe", "in", "cm"]);
        assert_eq!(words_of("年 月"), ["年", "月"]);
        assert!(words_of("").is_empty() && words_of("_-").is_empty());
    }
}
