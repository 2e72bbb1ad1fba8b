//! The heatmap of a simulation as an image: time from left to right, keys from top to bottom,
//! tablet boundaries as lines.
//!
//! There is no text in it, because the program has no font. Marks below it stand for time, and the
//! bar on the right for the scale: from no requests to the most requests of a key range in a
//! second, by the logarithm, as in the page.

use std::path::{Path, PathBuf};

use tabletop_protocol::{HeatColumns, SimulationChunk, TabletPlaced};
use tabletop_views::heatmap::{Area, Colors, HeatMatrix, Levels, Shown, borders};

use crate::commands::{Failure, Result};

/// Pixels of the map: at least this wide and this high, if a second and a key range take whole
/// pixels.
const WIDTH: usize = 1_200;
const HEIGHT: usize = 512;
/// Pixels around the map, and of the bar.
const MARGIN: usize = 12;
const BAR: usize = 16;
/// Pixels of a mark of time.
const MARK: usize = 5;
const BACKGROUND: [u8; 3] = [16, 16, 20];
const LINES: [u8; 3] = [200, 200, 210];

/// The file of each heatmap: the given one, or if there are several, `FILE-DESIGN-NODES.png` for
/// each.
pub(super) struct Files<'a> {
    path: &'a Path,
    is_one: bool,
    used: Vec<PathBuf>,
}

impl<'a> Files<'a> {
    /// Creates names for this many heatmaps.
    pub fn new(path: &'a Path, count: usize) -> Files<'a> {
        Files { path, is_one: count == 1, used: Vec::new() }
    }

    /// Returns the file of a design with a number of nodes.
    pub fn of(&mut self, design: &str, nodes: u32) -> PathBuf {
        if self.is_one {
            return self.path.into();
        }
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy();
        let design: String = design.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
        let named = |number: String| self.path.with_file_name(format!("{stem}-{design}-{nodes}{number}.png"));
        let mut file = named(String::new());
        // Two names of designs can be alike without their punctuation.
        for number in 2.. {
            if !self.used.contains(&file) {
                break;
            }
            file = named(format!("-{number}"));
        }
        self.used.push(file.clone());
        file
    }
}

/// Writes the heatmap of a whole simulation as PNG.
///
/// # Errors
/// Errors of the file.
pub(super) fn write(file: &Path, chunk: &SimulationChunk) -> Result<()> {
    let wrong = |error: std::io::Error| Failure::of(file.display(), &error);
    let image = Image::of(&chunk.heat, &chunk.places, chunk.seconds as usize);
    let out = std::io::BufWriter::new(std::fs::File::create(file).map_err(wrong)?);
    let mut encoder =
        png::Encoder::new(out, image.width as u32, (image.pixels.len() / 3 / image.width) as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(&image.pixels)?;
        writer.finish()
    });
    written.map_err(|error| match error {
        png::EncodingError::IoError(error) => wrong(error),
        error => Failure::Wrong(format!("{}: {error}", file.display())),
    })
}

/// Pixels in rows, three bytes each.
struct Image {
    width: usize,
    pixels: Vec<u8>,
}

impl Image {
    fn of(heat: &HeatColumns, places: &[TabletPlaced], seconds: usize) -> Image {
        let (seconds, buckets) = (seconds.max(1), heat.starts.len().max(1));
        // Whole pixels for each second and each key range, if there is room.
        let wide = if seconds < WIDTH { seconds * WIDTH.div_ceil(seconds) } else { WIDTH };
        let high = buckets * HEIGHT.div_ceil(buckets);
        let (width, height) = (wide + BAR + 3 * MARGIN, high + 2 * MARGIN);
        let mut image = Image { width, pixels: BACKGROUND.repeat(width * height) };
        let matrix = HeatMatrix::default().extend(heat.clone());
        let mut levels = Levels::default();
        levels.update(&matrix, Shown::Mean);
        let colors = Colors::default().table(levels.scale());
        let color = |level: u8| {
            let [red, green, blue, _] = colors[usize::from(level)];
            [red, green, blue]
        };
        let raster = levels.raster(Area::whole(seconds as u32, buckets), seconds as f64, (wide, high));
        let pixels = |(from, length): (f64, f64)| from.round() as usize..(from + length).round() as usize;
        let (across, down) = (raster.across.edges(), raster.down.edges());
        for (line, y) in raster.levels.chunks(across.len().max(1)).zip(down) {
            for (level, x) in line.iter().zip(&across) {
                for (x, y) in pixels(*x).flat_map(|x| pixels(y).map(move |y| (x, y))) {
                    image.set(MARGIN + x, MARGIN + y, color(*level));
                }
            }
        }
        let x_of = |second: usize| (second * wide / seconds).min(wide);
        for border in borders(places) {
            let y = matrix.border(&border.key) * high / buckets;
            let until = border.until.map_or(seconds, |until| until as usize);
            if (1..high).contains(&y) {
                (x_of(border.from as usize)..x_of(until)).for_each(|x| image.blend(MARGIN + x, MARGIN + y));
            }
        }
        for y in 0..high {
            let level = 255 - y * 255 / high.max(2).saturating_sub(1);
            (0..BAR).for_each(|x| image.set(2 * MARGIN + wide + x, MARGIN + y, color(level as u8)));
        }
        let every = [10, 60, 600, 3_600].into_iter().find(|every| seconds / every <= 40).unwrap_or(3_600);
        for second in (0..=seconds).step_by(every) {
            let x = MARGIN + x_of(second).min(wide - 1);
            (0..MARK).for_each(|y| image.set(x, MARGIN + high + 1 + y, LINES));
        }
        image
    }

    fn set(&mut self, x: usize, y: usize, color: [u8; 3]) {
        let at = (y * self.width + x) * 3;
        self.pixels[at..at + 3].copy_from_slice(&color);
    }

    /// Makes a pixel half as light as a line.
    fn blend(&mut self, x: usize, y: usize) {
        let at = (y * self.width + x) * 3;
        for (pixel, line) in self.pixels[at..at + 3].iter_mut().zip(LINES) {
            *pixel = ((u16::from(*pixel) + u16::from(line)) / 2) as u8;
        }
    }
}

#[cfg(test)]
mod tests {
    use tabletop_model::RowKey;
    use tabletop_protocol::HeatColumn;
    use tabletop_views::heat_colors::inferno;

    use super::*;

    fn heat() -> HeatColumns {
        let starts = ["", "g", "m", "t"].map(|key| RowKey::from(key.as_bytes())).into();
        let column = |second, values: [f32; 4]| HeatColumn {
            second,
            seconds: 1,
            values: values.into(),
            most: values.into(),
        };
        let columns = vec![column(0, [0.0, 0.0, 4.0, 0.0]), column(1, [0.0, 0.0, 0.0, 16.0])];
        HeatColumns { starts, columns, ..HeatColumns::default() }
    }

    #[test]
    fn each_second_and_each_part_of_the_keys_has_its_colour() {
        let image = Image::of(&heat(), &[], 2);
        assert_eq!(image.width, 1_200 + BAR + 3 * MARGIN);
        let pixel = |x: usize, y: usize| {
            let at = ((MARGIN + y) * image.width + MARGIN + x) * 3;
            [image.pixels[at], image.pixels[at + 1], image.pixels[at + 2]]
        };
        assert_eq!([pixel(0, 0), pixel(599, 256), pixel(599, 383)], [inferno(0), inferno(204), inferno(204)]);
        assert_eq!(
            [pixel(600, 256), pixel(600, 384), pixel(1_199, 511)],
            [inferno(0), inferno(255), inferno(255)]
        );
        assert_eq!(
            [pixel(1_200, 0), pixel(1_200 + MARGIN, 0)],
            [BACKGROUND, inferno(255)],
            "the bar is next to the map"
        );
    }

    #[test]
    fn a_tablet_has_a_line_from_when_it_begins() {
        let place = |second, tablet, start: &str, node| {
            let start = RowKey::from(start.as_bytes());
            TabletPlaced { second, tablet, start, node }
        };
        let places = [place(0, 0, "", Some(0)), place(1, 1, "m", Some(1))];
        let (with, without) = (Image::of(&heat(), &places, 2), Image::of(&heat(), &[], 2));
        let different = |x: usize, y: usize| {
            let at = ((MARGIN + y) * with.width + MARGIN + x) * 3;
            with.pixels[at..at + 3] != without.pixels[at..at + 3]
        };
        assert_eq!([different(599, 256), different(600, 256), different(1_199, 256)], [false, true, true]);
        assert_eq!([different(600, 255), different(600, 257), different(600, 0)], [false; 3]);
    }

    #[test]
    fn several_heatmaps_have_names_of_their_own() {
        let mut one = Files::new(Path::new("a/map.png"), 1);
        assert_eq!(one.of("By time", 4), Path::new("a/map.png"));
        let mut files = Files::new(Path::new("a/map.png"), 3);
        let names = [files.of("By time", 4), files.of("By time", 8), files.of("By-time", 4)];
        assert_eq!(
            names,
            ["a/map-By-time-4.png", "a/map-By-time-8.png", "a/map-By-time-4-2.png"].map(PathBuf::from)
        );
    }
}
