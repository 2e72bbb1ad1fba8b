//! Vectors of numbers: embeddings.

use alloc::vec::Vec;

use super::Value;

/// The minimum number of entries of a vector.
const VECTOR_MIN: usize = 3;
/// The minimum number of floats in bytes. It is larger, because bytes may have any other meaning.
const PACKED_MIN: usize = 8;
/// Magnitudes of the numbers of embeddings. Bytes with another meaning soon have other magnitudes.
const MAGNITUDES: core::ops::RangeInclusive<f32> = 1e-9..=1e6;

/// Returns the numbers of a value that is a vector: a list of `float` or `double`, or bytes that
/// are packed floats.
pub fn numbers(value: &Value<'_>) -> Option<Vec<f64>> {
    let numbers: Vec<f64> = match value {
        Value::Floats(numbers) if numbers.len() >= VECTOR_MIN => {
            numbers.iter().map(|number| f64::from(*number)).collect()
        }
        Value::Doubles(numbers) if numbers.len() >= VECTOR_MIN => numbers.clone(),
        Value::Bytes(bytes) => return packed_floats(bytes),
        _ => return None,
    };
    // If all numbers were infinite, a chart would be empty.
    numbers.iter().any(|number| number.is_finite()).then_some(numbers)
}

/// Returns the numbers of bytes that are floats of 32 bits, little endian, as most libraries store
/// vectors; `None` for bytes that are more likely something else.
pub fn packed_floats(bytes: &[u8]) -> Option<Vec<f64>> {
    let (floats, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() || floats.len() < PACKED_MIN {
        return None;
    }
    let floats: Vec<f32> = floats.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    let fits = |number: &f32| *number == 0.0 || MAGNITUDES.contains(&number.abs());
    // Zeros alone are not treated as a vector. Texts are excluded by magnitude, because their bytes
    // are floats of about the same magnitude.
    let is_vector = floats.iter().all(fits) && floats.iter().any(|number| *number != 0.0);
    let is_text = core::str::from_utf8(bytes).is_ok_and(|text| !text.contains('\0'));
    (is_vector && !is_text).then(|| floats.into_iter().map(f64::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn packed(numbers: &[f32]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    #[test]
    fn lists_of_floats_are_vectors() {
        assert_eq!(numbers(&Value::Floats(vec![0.5, -1.0, 0.0])), Some(vec![0.5, -1.0, 0.0]));
        assert_eq!(numbers(&Value::Doubles(vec![1.0, 2.0])), None, "two numbers are a pair");
        assert_eq!(numbers(&Value::Int(3)), None);
        assert_eq!(numbers(&Value::Floats(vec![f32::NAN; 3])), None, "nothing could be drawn");
        assert_eq!(numbers(&Value::Doubles(vec![f64::INFINITY; 3])), None);
        assert_eq!(
            numbers(&Value::Doubles(vec![1.0, f64::INFINITY, 2.0])),
            Some(vec![1.0, f64::INFINITY, 2.0])
        );
    }

    #[test]
    fn bytes_are_a_vector_if_nothing_speaks_against_it() {
        let vector = [0.25, -0.5, 0.125, 0.0, 1.0, -1.0, 0.75, 0.0625];
        assert_eq!(
            packed_floats(&packed(&vector)),
            Some(vector.iter().map(|number| f64::from(*number)).collect())
        );
        assert_eq!(packed_floats(&packed(&vector[..7])), None, "too few");
        assert_eq!(packed_floats(&packed(&vector)[1..]), None, "not a whole number of floats");
        assert_eq!(packed_floats(&packed(&[0.0; 8])), None, "zeros");
        assert_eq!(packed_floats(&packed(&[f32::NAN; 8])), None);
        assert_eq!(packed_floats(b"thirty-two characters of a text."), None);
    }
}
