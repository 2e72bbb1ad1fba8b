//! The picture on its canvas: a buffer with a pixel for each cell, which the browser scales up
//! without smoothing, and above it the borders of tablets. A change of the colours only refills the
//! buffer.

use std::rc::Rc;

use tabletop_views::heatmap::{Area, Border, Colors, HeatMatrix, Levels, Raster, Shown};
use wasm_bindgen::{Clamped, JsCast, JsValue};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData};

use crate::browser::{document, now_millis, window};

/// The colour of a border between tablets: visible on dark and on bright cells.
const BORDER: &str = "rgb(120 190 255 / 75%)";
/// The maximum number of pixels of the canvas for each pixel of the page.
const DENSITY_MAX: f64 = 2.0;

/// What is painted.
#[derive(Clone, PartialEq)]
pub struct Painting {
    /// The cells.
    pub matrix: Rc<HeatMatrix>,
    /// Which value of a cell is shown.
    pub shown: Shown,
    /// The colours of the cells.
    pub colors: Colors,
    /// The borders of tablets; none if they are not shown.
    pub borders: Option<Rc<Vec<Border>>>,
    /// The area.
    pub area: Area,
    /// The second at which the picture ends.
    pub until: u32,
    /// The size of the canvas on the page, px.
    pub size: (f64, f64),
}

/// Paints, and keeps what the next picture may share with this one.
#[derive(Default)]
pub struct Painter {
    /// The levels of the cells.
    levels: Levels,
    /// Area, second and size of the raster.
    of_raster: Option<(Area, u32, (usize, usize))>,
    raster: Option<Raster>,
    buffer: Option<HtmlCanvasElement>,
}

impl Painter {
    /// Returns the levels of a matrix.
    pub fn levels(&mut self, matrix: &HeatMatrix, shown: Shown) -> &Levels {
        if self.levels.update(matrix, shown) {
            self.raster = None;
        }
        &self.levels
    }

    /// Paints a picture. The canvas says how many milliseconds that took, for the benchmark.
    ///
    /// # Errors
    /// The browser cannot draw it.
    pub fn paint(&mut self, canvas: &HtmlCanvasElement, painting: &Painting) -> Result<(), JsValue> {
        let began = now_millis();
        let density = window().device_pixel_ratio().clamp(1.0, DENSITY_MAX);
        let size = ((painting.size.0 * density) as usize, (painting.size.1 * density) as usize);
        if (canvas.width() as usize, canvas.height() as usize) != size {
            canvas.set_width(size.0 as u32);
            canvas.set_height(size.1 as u32);
        }
        self.levels(&painting.matrix, painting.shown);
        let wanted = (painting.area, painting.until, size);
        let raster = match self.raster.take().filter(|_| self.of_raster == Some(wanted)) {
            Some(raster) => raster,
            None => self.levels.raster(painting.area, painting.until.into(), size),
        };
        self.of_raster = Some(wanted);
        let table = painting.colors.table(self.levels.scale());
        let context = context(canvas)?;
        let [red, green, blue, _] = table[0];
        context.set_fill_style_str(&format!("rgb({red} {green} {blue})"));
        context.fill_rect(0.0, 0.0, size.0 as f64, size.1 as f64);
        self.draw(&context, &raster, &table)?;
        self.raster = Some(raster);
        if let Some(borders) = &painting.borders {
            draw_borders(&context, painting, borders, (size.0 as f64, size.1 as f64), density);
        }
        canvas.set_attribute("data-paint-millis", &format!("{:.1}", now_millis() - began))
    }

    fn draw(
        &mut self,
        context: &CanvasRenderingContext2d,
        raster: &Raster,
        table: &[[u8; 4]; 256],
    ) -> Result<(), JsValue> {
        let (width, height) = (raster.across.lines.len(), raster.down.lines.len());
        if width == 0 || height == 0 {
            return Ok(());
        }
        let buffer = match self.buffer.take() {
            Some(buffer) => buffer,
            None => document().create_element("canvas")?.unchecked_into(),
        };
        buffer.set_width(width as u32);
        buffer.set_height(height as u32);
        let mut pixels = Vec::with_capacity(raster.levels.len() * 4);
        for level in &raster.levels {
            pixels.extend_from_slice(&table[usize::from(*level)]);
        }
        let image =
            ImageData::new_with_u8_clamped_array_and_sh(Clamped(&pixels), width as u32, height as u32)?;
        self::context(&buffer)?.put_image_data(&image, 0.0, 0.0)?;
        context.set_image_smoothing_enabled(false);
        for across in &raster.across.runs {
            for down in &raster.down.runs {
                context.draw_image_with_html_canvas_element_and_sw_and_sh_and_dx_and_dy_and_dw_and_dh(
                    &buffer,
                    across.lines.start as f64,
                    down.lines.start as f64,
                    across.lines.len() as f64,
                    down.lines.len() as f64,
                    across.place.from,
                    down.place.from,
                    across.place.length(),
                    down.place.length(),
                )?;
            }
        }
        self.buffer = Some(buffer);
        Ok(())
    }
}

fn context(canvas: &HtmlCanvasElement) -> Result<CanvasRenderingContext2d, JsValue> {
    let context = canvas.get_context("2d")?.ok_or_else(|| JsValue::from_str("the browser draws nothing"))?;
    Ok(context.unchecked_into())
}

/// Draws a line for each border, for the time that it existed.
fn draw_borders(
    context: &CanvasRenderingContext2d,
    painting: &Painting,
    borders: &[Border],
    (width, height): (f64, f64),
    density: f64,
) {
    let Painting { area, matrix, until, .. } = painting;
    context.set_stroke_style_str(BORDER);
    context.set_line_width(density);
    context.begin_path();
    for border in borders {
        let until = border.until.unwrap_or(*until).min(*until);
        if border.from >= until {
            continue;
        }
        let y = area.buckets.share(matrix.border(&border.key) as f64) * height;
        let x = |second: u32| (area.seconds.share(second.into()) * width).clamp(0.0, width);
        // A border after the last bucket would cover it: all writes may be there.
        if y > 0.0 && y < height - density && x(border.from) < x(until) {
            context.move_to(x(border.from), y);
            context.line_to(x(until), y);
        }
    }
    context.stroke();
}
