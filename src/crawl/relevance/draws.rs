//! Numbers drawn at random that are the same for the same seed.

/// Draws of a launch: the same seed gives the same numbers.
///
/// The generator is splitmix64 (G. L. Steele, D. Lea, C. H. Flood: Fast splittable pseudorandom
/// number generators, OOPSLA 2014).
#[derive(Debug, Clone, Default)]
pub struct Draws(u64);

impl Draws {
    /// The draws of a launch with this seed that has fetched so many pages.
    pub fn new(seed: u64, pages: u64) -> Self {
        let mut draws = Self(seed ^ pages.wrapping_mul(0xD1B5_4A32_D192_ED03));
        draws.next();
        draws
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to 1.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A whole number below `end`; 0 where that is 0.
    pub fn below(&mut self, end: u64) -> u64 {
        u64::try_from((u128::from(self.next()) * u128::from(end)) >> 64).unwrap_or(0)
    }

    /// A number of the beta distribution; both parameters are 1 at least.
    pub fn beta(&mut self, a: f64, b: f64) -> f64 {
        let (x, y) = (self.gamma(a), self.gamma(b));
        if x + y > 0.0 { x / (x + y) } else { 0.5 }
    }

    /// A number of the gamma distribution with a shape of 1 at least (G. Marsaglia, W. W. Tsang: A
    /// simple method for generating gamma variables, ACM TOMS 26, 2000).
    fn gamma(&mut self, shape: f64) -> f64 {
        let d = shape.max(1.0) - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let x = self.normal();
            let v = (1.0 + c * x).powi(3);
            if v > 0.0 && (1.0 - self.unit()).ln() < 0.5 * x * x + d - d * v + d * v.ln() {
                return d * v;
            }
        }
    }

    /// A number of the normal distribution (G. E. P. Box, M. E. Muller, 1958).
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_follow_their_distribution_and_their_seed() {
        let (mut draws, mut same) = (Draws::new(7, 0), Draws::new(7, 0));
        for (a, b) in [(1.0, 3.0), (5.0, 5.0), (40.0, 160.0)] {
            let drawn: Vec<f64> = (0..20_000).map(|_| draws.beta(a, b)).collect();
            let mean = drawn.iter().sum::<f64>() / 20_000.0;
            let spread = drawn.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 20_000.0;
            let expected = a * b / ((a + b).powi(2) * (a + b + 1.0));
            assert!((mean - a / (a + b)).abs() < 0.01, "{a} {b}: {mean}");
            assert!((spread / expected - 1.0).abs() < 0.06, "{a} {b}: {spread} {expected}");
            assert!(drawn.iter().all(|x| *x == same.beta(a, b)));
        }
        assert_ne!(Draws::new(7, 1).unit(), Draws::new(8, 1).unit());
        assert!((0..1000).all(|_| draws.below(3) < 3));
        assert_eq!(draws.below(0), 0);
    }
}
