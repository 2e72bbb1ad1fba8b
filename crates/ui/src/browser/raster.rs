//! Pictures as PNG files, and pictures on the clipboard.

use js_sys::{Array, Object, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, future_to_promise};
use web_sys::{
    Blob, BlobPropertyBag, CanvasRenderingContext2d, ClipboardItem, HtmlCanvasElement, HtmlImageElement, Url,
};

use super::{document, window, window_if_any};

/// Pixels of the PNG per pixel of the drawing: sharp on screens with twice the density, and in
/// print.
const SCALE: f64 = 2.0;

/// Draws an SVG of this width and height, px, as PNG.
///
/// # Errors
/// The browser cannot draw it, for example because it is out of memory.
pub async fn png_of(svg: String, (width, height): (f64, f64)) -> Result<Blob, JsValue> {
    let options = BlobPropertyBag::new();
    options.set_type("image/svg+xml");
    let file = Blob::new_with_str_sequence_and_options(&Array::of1(&svg.into()), &options)?;
    let address = Url::create_object_url_with_blob(&file)?;
    let image = HtmlImageElement::new()?;
    image.set_src(&address);
    let loaded = JsFuture::from(image.decode()).await;
    Url::revoke_object_url(&address)?;
    loaded?;
    let canvas: HtmlCanvasElement = document().create_element("canvas")?.unchecked_into();
    canvas.set_width((width * SCALE) as u32);
    canvas.set_height((height * SCALE) as u32);
    let nothing = || JsValue::from_str("the browser draws nothing");
    let context: CanvasRenderingContext2d = canvas.get_context("2d")?.ok_or_else(nothing)?.unchecked_into();
    context.draw_image_with_html_image_element_and_dw_and_dh(
        &image,
        0.0,
        0.0,
        width * SCALE,
        height * SCALE,
    )?;
    png_of_canvas(&canvas).await
}

/// Returns what a canvas shows as PNG.
///
/// # Errors
/// The browser cannot write it, for example because it is out of memory.
pub async fn png_of_canvas(canvas: &HtmlCanvasElement) -> Result<Blob, JsValue> {
    let drawn = Promise::new(&mut |resolve, reject| {
        if let Err(error) = canvas.to_blob(&resolve) {
            drop(reject.call1(&JsValue::NULL, &error));
        }
    });
    JsFuture::from(drawn).await?.dyn_into::<Blob>()
}

/// Copies an SVG as PNG to the clipboard. Returns whether the browser allowed it.
pub async fn copy_png(svg: String, size: (f64, f64)) -> bool {
    // The clipboard gets the promise of the picture: some browsers allow a copy only during the
    // click.
    let png = future_to_promise(async move { png_of(svg, size).await.map(JsValue::from) });
    let items = Object::new();
    let copied = Reflect::set(&items, &"image/png".into(), &png)
        .and_then(|_| ClipboardItem::new_with_record_from_str_to_blob_promise(&items))
        .map(|item| window().navigator().clipboard().write(&Array::of1(&item)));
    match copied {
        Ok(copied) => JsFuture::from(copied).await.is_ok(),
        Err(_) => false,
    }
}

/// Returns whether the browser can copy pictures.
pub fn can_copy_pictures() -> bool {
    window_if_any().is_some_and(|window| Reflect::has(&window, &"ClipboardItem".into()).unwrap_or(false))
}
