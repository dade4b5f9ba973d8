//! The pixels of a window, drawn by the processor: whether one of them changes can be tested where
//! there is no screen.

use egui::epaint::{Mesh, Primitive};
use egui::{Color32, ColorImage, Context, FullOutput, Pos2, Rect};

/// A picture of a window.
pub(in crate::ui::tests) struct Picture {
    width: usize,
    height: usize,
    pixels: Vec<[f32; 3]>,
    scale: f32,
}

impl Picture {
    /// Draws what was drawn last.
    pub(in crate::ui::tests) fn of(ctx: &Context, output: &FullOutput, size: egui::Vec2) -> Self {
        let scale = output.pixels_per_point;
        let (width, height) = ((size.x * scale) as usize, (size.y * scale) as usize);
        let mut picture = Self { width, height, pixels: vec![[0.0; 3]; width * height], scale };
        let letters = ctx.fonts(|fonts| fonts.image());
        for part in ctx.tessellate(output.shapes.clone(), scale) {
            if let Primitive::Mesh(mesh) = part.primitive {
                picture.draw(&mesh, part.clip_rect, &letters);
            }
        }
        picture
    }

    fn draw(&mut self, mesh: &Mesh, clip: Rect, letters: &ColorImage) {
        for corners in mesh.indices.chunks_exact(3) {
            let [a, b, c] = [0, 1, 2].map(|at| mesh.vertices[corners[at] as usize]);
            let at = [a, b, c].map(|corner| corner.pos * self.scale);
            let area = cross(at[0], at[1], at[2]);
            if area.abs() < 1e-6 {
                continue;
            }
            let low = |of: fn(Pos2) -> f32| at.map(of).into_iter().fold(f32::INFINITY, f32::min).max(0.0) as usize;
            let high = |of: fn(Pos2) -> f32, most: usize| {
                (at.map(of).into_iter().fold(0.0, f32::max).ceil() as usize).min(most)
            };
            for y in low(|at| at.y)..high(|at| at.y, self.height) {
                for x in low(|at| at.x)..high(|at| at.x, self.width) {
                    let point = Pos2::new(x as f32 + 0.5, y as f32 + 0.5);
                    if !clip.contains(point / self.scale) {
                        continue;
                    }
                    let (u, v) = (cross(at[1], at[2], point) / area, cross(at[2], at[0], point) / area);
                    let w = 1.0 - u - v;
                    if u < 0.0 || v < 0.0 || w < 0.0 {
                        continue;
                    }
                    let mix = |of: fn(Color32) -> u8| {
                        u * f32::from(of(a.color)) + v * f32::from(of(b.color)) + w * f32::from(of(c.color))
                    };
                    let texel = letter_at(letters, a.uv.to_vec2() * u + b.uv.to_vec2() * v + c.uv.to_vec2() * w);
                    let parts = [mix(|of| of.r()), mix(|of| of.g()), mix(|of| of.b())];
                    let cover = mix(|of| of.a()) / 255.0 * f32::from(texel.a()) / 255.0;
                    let texels = [texel.r(), texel.g(), texel.b()];
                    let pixel = &mut self.pixels[y * self.width + x];
                    for part in 0..3 {
                        pixel[part] = parts[part] * f32::from(texels[part]) / 255.0 + pixel[part] * (1.0 - cover);
                    }
                }
            }
        }
    }

    /// Writes it as a portable pixmap, which image viewers show.
    pub(in crate::ui::tests) fn write(&self, path: &std::path::Path) -> std::io::Result<()> {
        let mut bytes = format!("P6 {} {} 255\n", self.width, self.height).into_bytes();
        bytes.extend(self.pixels.iter().flatten().map(|part| part.round().clamp(0.0, 255.0) as u8));
        std::fs::write(path, bytes)
    }

    /// The smallest place with all pixels of an area that differ between the two, in points; none where no
    /// pixel does.
    pub(in crate::ui::tests) fn difference_in(&self, area: Rect, other: &Self) -> Option<Rect> {
        assert_eq!((self.width, self.height), (other.width, other.height), "of one size");
        let mut place = Rect::NOTHING;
        for (at, (one, other)) in self.pixels.iter().zip(&other.pixels).enumerate() {
            let (x, y) = ((at % self.width) as f32, (at / self.width) as f32);
            let is_other = one.iter().zip(other).any(|(one, other)| (one - other).abs() > 1.0);
            if is_other && area.contains(Pos2::new(x, y) / self.scale) {
                place.extend_with(Pos2::new(x, y) / self.scale);
                place.extend_with(Pos2::new(x + 1.0, y + 1.0) / self.scale);
            }
        }
        place.is_positive().then_some(place)
    }
}

fn cross(a: Pos2, b: Pos2, c: Pos2) -> f32 {
    (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
}

fn letter_at(letters: &ColorImage, uv: egui::Vec2) -> Color32 {
    let [width, height] = letters.size;
    let at = |part: f32, most: usize| ((part * most as f32) as usize).min(most - 1);
    letters.pixels[at(uv.y, height) * width + at(uv.x, width)]
}
