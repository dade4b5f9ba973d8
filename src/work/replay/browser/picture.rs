//! Pictures of pages: how alike two of them are, and how they are drawn.

use super::check::picture_place;
use crate::jobs::open_own;
use crate::uri::CaptureDate;
use crate::work::Session;
use crate::work::models::CaptureId;
use anyhow::Context;
use std::fs::File;
use std::io::{Cursor, ErrorKind, Read};

/// The difference of two colours, of the largest one, from which on pixels differ (pixelmatch and Browsertrix: 0.1).
const THRESHOLD: f64 = 0.1;
/// The largest difference of two colours by [`difference`].
const LARGEST: f64 = 35_215.0;
/// Pixels of a picture that is read.
const MOST_PIXELS: u64 = 64 << 20;
/// Bytes of a file with a picture that is drawn.
const MOST_BYTES: u64 = 64 << 20;
/// Pixels of the sides of a picture that is drawn.
const MOST_WIDTH: u32 = 1280;
const MOST_HEIGHT: u32 = 2560;

/// A picture with three bytes for each of its pixels.
pub(super) struct Picture {
    width: u32,
    height: u32,
    pixels: Vec<u8>,
}

impl Picture {
    /// Reads a PNG.
    ///
    /// # Errors
    ///
    /// What is none, or is too large.
    pub(super) fn read(bytes: &[u8]) -> anyhow::Result<Self> {
        let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), png::Limits { bytes: 512 << 20 });
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().context("a picture that is no PNG")?;
        let (width, height) = reader.info().size();
        anyhow::ensure!(
            u64::from(width) * u64::from(height) <= MOST_PIXELS,
            "a picture of {width} × {height} is too large"
        );
        let size = reader.output_buffer_size().context("a picture that is too large")?;
        let mut buffer = vec![0; size];
        let frame = reader.next_frame(&mut buffer).context("a PNG that is cut short")?;
        let samples = frame.color_type.samples();
        let pixels = buffer[..frame.buffer_size()]
            .chunks_exact(samples)
            .flat_map(|pixel| match pixel {
                [grey] | [grey, _] => [*grey; 3],
                [red, green, blue, ..] => [*red, *green, *blue],
                [] => [0; 3],
            })
            .collect();
        Ok(Self { width, height, pixels })
    }

    /// The share of equal pixels in the part that both have, from 0 to 1; none where they share none.
    pub(super) fn likeness(&self, other: &Self) -> Option<f64> {
        let (width, height) = (self.width.min(other.width), self.height.min(other.height));
        let total = u64::from(width) * u64::from(height);
        if total == 0 {
            return None;
        }
        let mut different = 0_u64;
        for row in 0..height {
            let (own, others) = (self.row(row, width), other.row(row, width));
            let pixels = own.chunks_exact(3).zip(others.chunks_exact(3));
            different +=
                pixels.filter(|(own, other)| difference(own, other) > LARGEST * THRESHOLD * THRESHOLD).count() as u64;
        }
        Some(1.0 - different as f64 / total as f64)
    }

    fn row(&self, row: u32, width: u32) -> &[u8] {
        let start = row as usize * self.width as usize * 3;
        self.pixels.get(start..start + width as usize * 3).unwrap_or_default()
    }

    /// The share of the commonest colour.
    pub(super) fn commonest_share(&self) -> f64 {
        let mut counts = std::collections::HashMap::new();
        for pixel in self.pixels.chunks_exact(3) {
            *counts.entry([pixel[0], pixel[1], pixel[2]]).or_insert(0_u64) += 1;
        }
        let most = counts.values().max().copied().unwrap_or_default();
        most as f64 / (self.pixels.len() as f64 / 3.0).max(1.0)
    }
}

/// The picture that a browser made of a page, small enough to be drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct PagePicture {
    /// Of which capture.
    pub capture: CaptureId,
    /// When it was made.
    pub checked: CaptureDate,
    /// Name and version of the browser.
    pub browser: String,
    /// URLs without a capture among those that the page requested then.
    pub missing: u64,
    /// Width and height in pixels.
    pub size: [usize; 2],
    /// Three bytes for each pixel, row by row: red, green, blue.
    pub pixels: Vec<u8>,
}

impl Picture {
    /// The picture by whole parts of its size, so that it is no wider than [`MOST_WIDTH`]; what is below [`MOST_HEIGHT`] is
    /// left out.
    fn to_draw(&self) -> ([usize; 2], Vec<u8>) {
        let by = self.width.div_ceil(MOST_WIDTH).max(1);
        let (width, height) = (self.width / by, (self.height / by).min(MOST_HEIGHT));
        let mut pixels = Vec::with_capacity(width as usize * height as usize * 3);
        for row in 0..height {
            let rows: Vec<&[u8]> = (0..by).map(|part| self.row(row * by + part, self.width)).collect();
            for column in 0..width {
                for colour in 0..3 {
                    let at = |part: u32| ((column * by + part) * 3 + colour) as usize;
                    let parts = rows.iter().flat_map(|row| (0..by).map(|part| row.get(at(part)).copied()));
                    let sum: u32 = parts.map(|value| u32::from(value.unwrap_or_default())).sum();
                    pixels.push(u8::try_from(sum / (by * by)).unwrap_or(u8::MAX));
                }
            }
        }
        ([width as usize, height as usize], pixels)
    }
}

impl Session {
    /// The picture that a browser made of a page; none where none opened it.
    ///
    /// # Errors
    ///
    /// A catalogue or a picture that cannot be read.
    pub fn page_picture(&self, capture: CaptureId) -> anyhow::Result<Option<PagePicture>> {
        let Some(check) = self.catalogue().replay_check(capture)? else { return Ok(None) };
        // The workspace may be of others: the file is at the name of our own, whatever the catalogue says.
        let place = picture_place(capture);
        let path = self.workspace.folder().join(&place);
        let file = match open_own(&path, File::options().read(true)) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            file => file.with_context(|| place.clone())?,
        };
        let mut bytes = Vec::new();
        file.take(MOST_BYTES).read_to_end(&mut bytes).with_context(|| place.clone())?;
        let (size, pixels) = Picture::read(&bytes).with_context(|| place)?.to_draw();
        let (checked, browser, missing) = (check.checked, check.browser, check.missing);
        Ok(Some(PagePicture { capture, checked, browser, missing, size, pixels }))
    }
}

/// How far two colours are from each other, as eyes see it (YIQ; Kotsarenko and Ramos 2010).
fn difference(one: &[u8], other: &[u8]) -> f64 {
    let by = |at: usize| f64::from(one[at]) - f64::from(other[at]);
    let (red, green, blue) = (by(0), by(1), by(2));
    let y = red * 0.298_895_31 + green * 0.586_622_47 + blue * 0.114_482_23;
    let i = red * 0.595_977_99 - green * 0.274_171_00 - blue * 0.321_801_89;
    let q = red * 0.211_470_17 - green * 0.522_617_11 + blue * 0.311_146_94;
    0.5053 * y * y + 0.299 * i * i + 0.1957 * q * q
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn png_of(width: u32, height: u32, pixel: impl Fn(u32, u32) -> [u8; 3]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(png::ColorType::Rgb);
        let pixels: Vec<u8> =
            (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).flat_map(|(x, y)| pixel(x, y)).collect();
        encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
        bytes
    }

    #[test]
    fn a_quarter_of_other_colour_is_a_quarter_of_difference_and_a_shade_is_none() {
        let white = Picture::read(&png_of(100, 40, |_, _| [255; 3])).unwrap();
        let part = Picture::read(&png_of(100, 40, |x, _| if x < 25 { [0, 0, 90] } else { [250; 3] })).unwrap();
        assert_eq!(white.likeness(&part), Some(0.75));
        assert_eq!(part.commonest_share(), 0.75);
        // Of pictures of other sizes, the part that both have is compared.
        let higher = Picture::read(&png_of(100, 90, |_, _| [255; 3])).unwrap();
        assert_eq!(white.likeness(&higher), Some(1.0));
        assert!(Picture::read(b"no picture").is_err());
    }

    #[test]
    fn a_picture_is_drawn_by_whole_parts_of_its_size() {
        let wide =
            Picture::read(&png_of(2 * MOST_WIDTH, 4, |x, _| if x < 2 { [10, 20, 30] } else { [250; 3] })).unwrap();
        let (size, pixels) = wide.to_draw();
        assert_eq!((size, &pixels[..6]), ([MOST_WIDTH as usize, 2], &[10, 20, 30, 250, 250, 250][..]));
    }
}
