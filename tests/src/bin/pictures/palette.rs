//! Pictures with a palette of 256 colours, which have a third of the bytes. A page has few colours;
//! the others are shades at the edges of its letters.

use std::collections::{BTreeMap, HashMap};

use png::{BitDepth, ColorType, Compression, Decoder, Encoder, Transformations};

type Result<T> = std::result::Result<T, String>;

type Colour = [u8; 3];

const COLOURS_MAX: usize = 256;

/// Returns a PNG file that shows these PNG files of one size in turn, each for its number of
/// milliseconds, again and again. Their 256 most important colours are its palette; all other pixels
/// get the nearest of these colours. Programs that cannot show it in motion show the first one.
///
/// # Errors
/// An error if a file is not a PNG file, or if their sizes differ.
pub fn animated(frames: &[(Vec<u8>, u16)]) -> Result<Vec<u8>> {
    let mut pictures = Vec::new();
    for (file, _) in frames {
        pictures.push(decoded(file).map_err(|error| format!("the picture cannot be read: {error}"))?);
    }
    let Some((width, height, _)) = pictures.first().map(|(width, height, _)| (*width, *height, ())) else {
        return Err("there is no picture".into());
    };
    if pictures.iter().any(|picture| (picture.0, picture.1) != (width, height)) {
        return Err("the pictures have several sizes".into());
    }
    let pixels: Vec<Colour> = pictures.into_iter().flat_map(|(.., pixels)| pixels).collect();
    let palette = important(&pixels);
    let mut places: HashMap<Colour, u8> = HashMap::new();
    let indexes: Vec<u8> = pixels
        .iter()
        .map(|colour| *places.entry(*colour).or_insert_with(|| nearest(&palette, *colour)))
        .collect();
    let mut written = Vec::new();
    let done = write(&mut written, (width, height), &palette, &indexes, frames);
    done.map_err(|error| format!("the picture cannot be written: {error}"))?;
    Ok(written)
}

fn write(
    written: &mut Vec<u8>,
    (width, height): (u32, u32),
    palette: &[Colour],
    indexes: &[u8],
    frames: &[(Vec<u8>, u16)],
) -> std::result::Result<(), png::EncodingError> {
    let mut encoder = Encoder::new(written, width, height);
    encoder.set_color(ColorType::Indexed);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_palette(palette.concat());
    encoder.set_compression(Compression::High);
    // The numbers of colours are arbitrary, so filters by difference do not help.
    encoder.set_filter(png::Filter::NoFilter);
    if frames.len() > 1 {
        encoder.set_animated(frames.len() as u32, 0)?;
    }
    let mut writer = encoder.write_header()?;
    let pictures = indexes.chunks((width * height) as usize);
    for (indexes, (_, millis)) in pictures.zip(frames) {
        if frames.len() > 1 {
            writer.set_frame_delay(*millis, 1_000)?;
        }
        writer.write_image_data(indexes)?;
    }
    writer.finish()
}

/// Width, height and pixels, in lines from the top. Transparency is ignored.
fn decoded(file: &[u8]) -> std::result::Result<(u32, u32, Vec<Colour>), png::DecodingError> {
    let mut decoder = Decoder::new(std::io::Cursor::new(file));
    decoder.set_transformations(Transformations::EXPAND | Transformations::STRIP_16);
    let mut reader = decoder.read_info()?;
    let mut bytes = vec![0; reader.output_buffer_size().unwrap_or_default()];
    let info = reader.next_frame(&mut bytes)?;
    let samples = info.color_type.samples();
    let colour = |pixel: &[u8]| if samples < 3 { [pixel[0]; 3] } else { [pixel[0], pixel[1], pixel[2]] };
    Ok((info.width, info.height, bytes[..info.buffer_size()].chunks_exact(samples).map(colour).collect()))
}

/// Returns the colours of the palette: first the most frequent one, then always the colour whose
/// pixels would otherwise be the most wrong.
fn important(pixels: &[Colour]) -> Vec<Colour> {
    let mut counts: BTreeMap<Colour, u64> = BTreeMap::new();
    for colour in pixels {
        *counts.entry(*colour).or_default() += 1;
    }
    // The distance of each colour from the palette.
    let mut distances: BTreeMap<Colour, u64> =
        counts.keys().map(|colour| (*colour, u64::from(u32::MAX))).collect();
    let mut palette = Vec::new();
    while palette.len() < COLOURS_MAX {
        let farthest = distances.iter().max_by_key(|(colour, distance)| *distance * counts[*colour]);
        let Some((&colour, 1..)) = farthest else { break };
        palette.push(colour);
        for (other, old) in &mut distances {
            *old = distance(*other, colour).min(*old);
        }
    }
    palette
}

/// Returns the index of the nearest colour.
fn nearest(palette: &[Colour], colour: Colour) -> u8 {
    let near = palette.iter().enumerate().min_by_key(|(_, other)| distance(**other, colour));
    near.map_or(0, |(index, _)| index as u8)
}

/// The squared distance.
fn distance(one: Colour, other: Colour) -> u64 {
    one.iter().zip(other).map(|(a, b)| u64::from(a.abs_diff(b)).pow(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(width: u32, pixels: &[Colour]) -> Vec<u8> {
        let mut written = Vec::new();
        let mut encoder = Encoder::new(&mut written, width, pixels.len() as u32 / width);
        encoder.set_color(ColorType::Rgb);
        let mut writer = encoder.write_header().expect("a header");
        writer.write_image_data(&pixels.concat()).expect("pixels");
        writer.finish().expect("an end");
        written
    }

    fn with_palette(file: &[u8]) -> Result<Vec<u8>> {
        animated(&[(file.to_vec(), 0)])
    }

    #[test]
    fn pictures_are_shown_in_turn() {
        let [red, blue] = [[[255, 0, 0]; 4], [[0, 0, 255]; 4]];
        let both = animated(&[(file(2, &red), 1_500), (file(2, &blue), 700)]).expect("a picture");
        let mut reader = Decoder::new(std::io::Cursor::new(&both)).read_info().expect("a header");
        assert_eq!(
            reader.info().animation_control().map(|control| (control.num_frames, control.num_plays)),
            Some((2, 0))
        );
        let mut shown = Vec::new();
        for _ in 0..2 {
            let mut bytes = vec![0; 4];
            reader.next_frame(&mut bytes).expect("a frame");
            let delay = reader.info().frame_control().map(|control| control.delay_num);
            shown.push((bytes, delay));
        }
        let [(first, one), (second, other)] = &shown[..] else { panic!("{shown:?}") };
        assert!(first != second && (*one, *other) == (Some(1_500), Some(700)), "{shown:?}");
        assert!(animated(&[]).is_err());
        assert!(
            animated(&[(file(2, &red), 1), (file(1, &red), 1)]).is_err_and(|error| error.contains("sizes"))
        );
    }

    #[test]
    fn a_picture_with_few_colours_stays_as_it_is() {
        let pixels = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 0, 0], [1, 2, 3], [255, 255, 255]];
        let small = with_palette(&file(3, &pixels)).expect("a picture");
        assert_eq!(decoded(&small).expect("a picture"), (3, 2, pixels.to_vec()));
    }

    #[test]
    fn a_rare_colour_stays_if_no_other_is_like_it() {
        let shades: Vec<Colour> = (0..=255).flat_map(|shade| [[shade, 0, 0]; 2]).collect();
        let rare: [Colour; 2] = [[0, 255, 255], [70, 1, 0]];
        let small = with_palette(&file(2, &[&shades[..], &rare].concat())).expect("a picture");
        let (_, _, pixels) = decoded(&small).expect("a picture");
        assert_eq!(pixels[shades.len()..], [[0, 255, 255], [70, 0, 0]]);
        let farthest = pixels.iter().zip(&shades).map(|(small, shade)| distance(*small, *shade)).max();
        assert_eq!(farthest, Some(1), "one shade is left out, and its neighbour is used");
        assert!(with_palette(b"no picture").is_err());
    }
}
