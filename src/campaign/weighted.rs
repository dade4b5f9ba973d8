//! Sums of named, weighted parts: scores of captures, places in a queue.

/// A part of a sum: its name, its default weight, and the functions that
/// give and explain its value.
#[derive(Debug)]
pub struct WeightedPart<I: ?Sized + 'static> {
    /// Its name in files and commands.
    pub key: &'static str,
    /// Its name for people.
    pub name: &'static str,
    /// The subject that it measures, for people.
    pub about: &'static str,
    /// Its default weight.
    pub weight: f64,
    /// Its value; none where it is not known.
    pub value: fn(&I) -> Option<f64>,
    /// Why its value is what it is, or why it is not known.
    pub why: fn(&I) -> String,
}

/// The weight that counts: negative ones and those that are no number are 0.
pub fn effective_weight(weight: f64) -> f64 {
    if weight.is_finite() { weight.max(0.0) } else { 0.0 }
}

/// The sum of the parts that are known, each by its weight, and the sum of
/// their weights, as far as [`effective_weight`] counts them.
pub fn weighted_sum<const N: usize>(weights: &[f64; N], values: &[Option<f64>; N]) -> (f64, f64) {
    let (mut sum, mut total) = (0.0, 0.0);
    for (weight, value) in weights.iter().zip(values) {
        if let Some(value) = value {
            let weight = effective_weight(*weight);
            total += weight;
            sum += weight * value;
        }
    }
    (sum, total)
}
