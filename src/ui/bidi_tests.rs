#![allow(clippy::unwrap_used)]
use super::*;
use egui::text::LayoutJob;
use proptest::prelude::*;

/// What egui makes of a text with fonts of such scripts: words of them are
/// shaped from right to left, the rest follows as it is stored. Other letters
/// stand in for those that the fonts of a test do not have.
fn laid_out(text: &str, width: f32) -> Arc<Galley> {
    let stored: Vec<char> = text.chars().collect();
    let mut shaped = stored.clone();
    for word in shaped.chunk_by_mut(|a, b| is_of_script(*a) && is_of_script(*b)) {
        if word.iter().any(|char| is_of_script(*char)) {
            word.reverse();
        }
    }
    let present = |char: &char| if is_of_script(*char) { 'm' } else { *char };
    let with_fonts: String = shaped.iter().map(present).collect();
    let ctx = Context::default();
    let mut galley = None;
    let mut output = ctx.run_ui(Default::default(), |ui| {
        let font = egui::FontId::proportional(14.0);
        galley = Some(ui.fonts_mut(|fonts| fonts.layout(with_fonts.clone(), font, egui::Color32::WHITE, width)));
    });
    output.textures_delta.clear();
    let mut galley = Arc::unwrap_or_clone(galley.unwrap());
    let mut chars = shaped.into_iter();
    for placed in &mut galley.rows {
        for glyph in &mut Arc::make_mut(&mut placed.row).glyphs {
            glyph.chr = chars.next().unwrap();
        }
        if placed.ends_with_newline {
            chars.next();
        }
    }
    galley.job = Arc::new(LayoutJob { text: text.to_owned(), ..LayoutJob::clone(&galley.job) });
    Arc::new(galley)
}

/// The characters of each row as they are seen from the left.
fn seen(galley: &Galley) -> Vec<String> {
    let row = |row: &Row| {
        let mut glyphs: Vec<&Glyph> = row.glyphs.iter().collect();
        glyphs.sort_by(|a, b| a.pos.x.total_cmp(&b.pos.x));
        glyphs.iter().map(|glyph| glyph.chr).collect()
    };
    galley.rows.iter().map(|placed| row(&placed.row)).collect()
}

fn seen_in_one_row(text: &str) -> String {
    let [row] = &seen(&in_reading_order(&laid_out(text, f32::INFINITY)))[..] else { panic!("{text}") };
    row.clone()
}

/// Capitals are letters of Hebrew, as in the examples of the standard.
fn hebrew(text: &str) -> String {
    let letter = |char: char| match char {
        'A'..='Z' => char::from_u32('א' as u32 + char as u32 - 'A' as u32).unwrap(),
        other => other,
    };
    text.chars().map(letter).collect()
}

#[test]
fn lines_read_as_in_the_examples_of_the_standard() {
    // UAX 9, 3.4 and 2.2: as stored, and as seen.
    for (stored, expected) in [
        ("car means CAR.", "car means RAC."),
        ("he said \"THE VALUES ARE 123, 456, 789, OK\".", "he said \"KO ,789 ,456 ,123 ERA SEULAV EHT\"."),
        ("THE CAR COSTS 10 EUR", "RUE 10 STSOC RAC EHT"),
        ("IT IS a car HERE", "EREH a car SI TI"),
        ("no such letters", "no such letters"),
    ] {
        assert_eq!(seen_in_one_row(&hebrew(stored)), hebrew(expected), "{stored}");
    }
    // Arabic-Indic digits are read from the left, within a word too.
    assert_eq!(seen_in_one_row("سنة٢٠٢٤م"), "م٢٠٢٤ةنس");
    assert_eq!(seen_in_one_row("سنة ٢٠٢٤"), "٢٠٢٤ ةنس");
    // In a Latin line, too.
    assert_eq!((seen_in_one_row("٤٣a").as_str(), is_right_to_left("٤٣a")), ("٤٣a", true));
    // Each paragraph has a direction of its own.
    let lines = hebrew("a CAR\nCAR a");
    let rows = seen(&in_reading_order(&laid_out(&lines, f32::INFINITY)));
    assert_eq!(rows, ["a RAC", "a RAC"].map(hebrew));
}

#[test]
fn wrapped_text_is_read_row_by_row() {
    let text = hebrew("ONE TWO THREE FOUR FIVE SIX");
    let galley = laid_out(&text, 90.0);
    assert!(galley.rows.len() > 1);
    let before: Vec<String> = seen(&galley).iter().map(|row| row.trim().to_owned()).collect();
    for (row, before) in seen(&in_reading_order(&galley)).iter().zip(before) {
        let words: Vec<&str> = before.split(' ').rev().collect();
        assert_eq!(row.trim(), words.join(" "), "the first words stay in the first row");
    }
}

#[test]
fn what_is_drawn_moves_with_its_letters_and_brackets_are_mirrored() {
    let galley = laid_out(&hebrew("AB (CD)"), f32::INFINITY);
    let read = in_reading_order(&galley);
    let (before, after) = (&galley.rows[0].row, &read.rows[0].row);
    assert_eq!(before.size, after.size, "the row takes the same room");
    let left = |row: &Row, glyph: &Glyph| {
        let first = glyph.first_vertex as usize;
        let corners = &row.visuals.mesh.vertices[first..first + 4];
        corners.iter().map(|vertex| vertex.pos.x - glyph.pos.x).fold(f32::INFINITY, f32::min)
    };
    for (was, is) in before.glyphs.iter().zip(&after.glyphs).filter(|(was, _)| was.chr != ' ') {
        let is_bracket = is_mirrored(is.chr);
        if !is_bracket {
            assert!((left(before, was) - left(after, is)).abs() < 0.01, "{}", is.chr);
        }
        let first = is.first_vertex as usize;
        let corners = &after.visuals.mesh.vertices[first..first + 2];
        let is_flipped = corners[0].pos.x > corners[1].pos.x;
        assert_eq!(is_flipped, is_bracket, "{}", is.chr);
    }
}

#[test]
fn a_text_whose_glyphs_are_others_stays_as_it_is() {
    let mut galley = Arc::unwrap_or_clone(laid_out(&hebrew("AB CD"), f32::INFINITY));
    Arc::make_mut(&mut galley.rows[0].row).glyphs[2].chr = 'x';
    assert_eq!(in_reading_order(&galley), galley);
}

proptest! {
    #[test]
    fn any_line_reads_as_the_algorithm_has_it(
        chars in prop::collection::vec(prop::sample::select("ab ,.()17אבגעس٣٤".chars().collect::<Vec<_>>()), 1..30),
    ) {
        let text: String = chars.into_iter().collect();
        let info = BidiInfo::new(&text, None);
        let paragraph = &info.paragraphs[0];
        let expected = info.reorder_line(paragraph, paragraph.range.clone());
        prop_assert_eq!(seen_in_one_row(&text), expected.as_ref(), "{}", text);
    }
}
