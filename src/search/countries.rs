//! Countries on a map: their outlines, and which values of a facet are in which.
//!
//! The outlines are those of Natural Earth, see `assets/countries.txt`; the projection
//! is Equal Earth (Šavrič, Patterson and Jenny, 2018), in which areas are true: a
//! country is not more in sight for being far from the equator.

use crate::search::capture_columns::{FacetKind, FacetValue};
use serde::Deserialize;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

/// Height of the map, of which the width is 1.
pub const MAP_HEIGHT: f32 = 0.437;

/// Latitude of the upper edge; nothing lies beyond.
const NORTH: f64 = 84.0;
/// Half of the width in the units of the projection.
const HALF_WIDTH: f64 = 2.706_63;
/// So far from the lower edge every point is kept.
const MARGIN: f32 = 0.012;
/// Numbers of the asset are tenths of a degree.
const TENTH: f64 = 0.1;

static ATLAS: LazyLock<Atlas> = LazyLock::new(|| Atlas::read(include_str!("../../assets/countries.json")));

/// A place on the map: from the left edge, and from the upper one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MapPoint {
    /// From 0 to 1.
    pub x: f32,
    /// From 0 to [`MAP_HEIGHT`].
    pub y: f32,
}

impl MapPoint {
    /// The point at a longitude and latitude, in degrees.
    pub fn of_degrees(longitude: f64, latitude: f64) -> Self {
        let (x, y) = equal_earth(longitude, latitude);
        let (_, top) = equal_earth(0.0, NORTH);
        let width = 2.0 * HALF_WIDTH;
        Self { x: (0.5 + x / width) as f32, y: ((top - y) / width) as f32 }
    }
}

/// A country of ISO 3166-1.
#[derive(Debug, Clone, PartialEq)]
pub struct MapCountry {
    /// Its two letters.
    pub code: String,
    /// Its English name.
    pub name: String,
    /// A place in it, on the map in any case.
    pub point: MapPoint,
    /// The points of all rings.
    pub points: Vec<MapPoint>,
    /// Outlines and holes; none where the country is too small to have one.
    pub rings: Vec<Range<usize>>,
    /// Points by threes: triangles that fill the country.
    pub triangles: Vec<u32>,
}

impl MapCountry {
    /// Whether a place is within its outline.
    pub fn contains(&self, place: MapPoint) -> bool {
        let mut inside = false;
        for ring in self.rings.iter().filter_map(|ring| self.points.get(ring.clone())) {
            let before = ring.iter().cycle().skip(ring.len().saturating_sub(1));
            for (a, b) in before.zip(ring) {
                if (a.y > place.y) != (b.y > place.y) && place.x < a.x + (b.x - a.x) * (place.y - a.y) / (b.y - a.y) {
                    inside = !inside;
                }
            }
        }
        inside
    }
}

/// A country with what was found in it.
#[derive(Debug, Clone, PartialEq)]
pub struct CountryCount {
    /// The country.
    pub country: &'static MapCountry,
    /// Values of the facet that are in it, such as `uk`.
    pub values: Vec<String>,
    /// Captures.
    pub count: u64,
}

/// Every country, by code.
pub fn map_countries() -> &'static [MapCountry] {
    &ATLAS.countries
}

/// The country that a value of a facet is in: a country of servers, or a top-level domain.
pub fn country_of(kind: FacetKind, value: &str) -> Option<&'static MapCountry> {
    let value = value.to_ascii_lowercase();
    let known = match kind {
        FacetKind::Country => &ATLAS.by_code,
        FacetKind::TopLevel => &ATLAS.by_domain,
        _ => return None,
    };
    known.get(&value).and_then(|at| ATLAS.countries.get(*at))
}

/// Values of a facet by country, the most first; those that are in none are left out.
pub fn count_by_country(kind: FacetKind, values: &[FacetValue]) -> Vec<CountryCount> {
    let mut found: Vec<CountryCount> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for value in values {
        let Some(country) = country_of(kind, &value.value) else { continue };
        let at = *places.entry(&country.code).or_insert(found.len());
        match found.get_mut(at) {
            Some(known) => {
                known.values.push(value.value.clone());
                known.count += value.count;
            }
            None => found.push(CountryCount { country, values: vec![value.value.clone()], count: value.count }),
        }
    }
    found.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.country.name.cmp(&b.country.name)));
    found
}

#[derive(Default)]
struct Atlas {
    countries: Vec<MapCountry>,
    by_code: HashMap<String, usize>,
    by_domain: HashMap<String, usize>,
}

/// A country as the asset has it.
#[derive(Deserialize)]
struct AssetCountry {
    code: String,
    name: String,
    domains: Vec<String>,
    point: [i32; 2],
    #[serde(default)]
    rings: Vec<Vec<i32>>,
    #[serde(default)]
    triangles: Vec<i32>,
}

impl Atlas {
    /// An asset that cannot be read, which a test rules out, has no countries.
    fn read(asset: &str) -> Self {
        let mut atlas = Self::default();
        for country in serde_json::from_str::<Vec<AssetCountry>>(asset).unwrap_or_default() {
            let at = atlas.countries.len();
            atlas.by_code.insert(country.code.to_ascii_lowercase(), at);
            atlas.by_domain.extend(country.domains.iter().map(|domain| (domain.clone(), at)));
            let on_map = |x: i32, y: i32| MapPoint::of_degrees(f64::from(x) * TENTH, f64::from(y) * TENTH);
            let (mut points, mut rings) = (Vec::new(), Vec::new());
            for ring in &country.rings {
                let (first, mut x, mut y) = (points.len(), 0, 0);
                for step in ring.as_chunks::<2>().0 {
                    (x, y) = (x + step[0], y + step[1]);
                    points.push(on_map(x, y));
                }
                rings.push(first..points.len());
            }
            let mut corner = 0;
            let corners = country.triangles.iter().map(|step| {
                corner += step;
                u32::try_from(corner).unwrap_or_default()
            });
            let triangles = corners.collect();
            let mut point = on_map(country.point[0], country.point[1]);
            point.y = point.y.min(MAP_HEIGHT - MARGIN);
            atlas.countries.push(MapCountry {
                code: country.code,
                name: country.name,
                point,
                points,
                rings,
                triangles,
            });
        }
        atlas
    }
}

/// The projection of longitude and latitude, in degrees.
fn equal_earth(longitude: f64, latitude: f64) -> (f64, f64) {
    const A: [f64; 4] = [1.340_264, -0.081_106, 0.000_893, 0.003_796];
    let root = 3.0_f64.sqrt() / 2.0;
    let t = (root * latitude.to_radians().sin()).asin();
    let t2 = t * t;
    let t6 = t2 * t2 * t2;
    let x = longitude.to_radians() * t.cos() / (root * (A[0] + 3.0 * A[1] * t2 + t6 * (7.0 * A[2] + 9.0 * A[3] * t2)));
    (x, t * (A[0] + A[1] * t2 + t6 * (A[2] + A[3] * t2)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Twice the area of a polygon or triangle, signed.
    fn twice_area(corners: &[MapPoint]) -> f64 {
        let next = corners.iter().cycle().skip(1);
        let part = |(a, b): (&MapPoint, &MapPoint)| f64::from(a.x) * f64::from(b.y) - f64::from(b.x) * f64::from(a.y);
        corners.iter().zip(next).map(part).sum()
    }

    #[test]
    fn every_country_of_the_asset_is_whole() {
        let countries = map_countries();
        assert_eq!(countries.len(), 250);
        assert_eq!(countries.iter().filter(|country| !country.rings.is_empty()).count(), 176);
        let codes: HashSet<&str> = countries.iter().map(|country| country.code.as_str()).collect();
        let names: HashSet<&str> = countries.iter().map(|country| country.name.as_str()).collect();
        assert_eq!((codes.len(), names.len()), (250, 250));
        assert!(codes.iter().all(|code| code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_uppercase())));
        for country in countries {
            let on_map = |point: &MapPoint| (0.0..=1.0).contains(&point.x) && (0.0..=MAP_HEIGHT).contains(&point.y);
            assert!(on_map(&country.point), "{}: {:?}", country.code, country.point);
            assert!(country.points.iter().all(on_map), "{}", country.code);
            assert!(country.rings.is_empty() || country.contains(country.point), "{}", country.code);
            assert!(country.rings.iter().all(|ring| ring.len() >= 3), "{}", country.code);
            assert!(country.triangles.iter().all(|at| (*at as usize) < country.points.len()), "{}", country.code);
        }
    }

    #[test]
    fn triangles_cover_a_country_and_nothing_else() {
        for country in map_countries() {
            // Outlines run one way and holes the other: the sum is what is left.
            let rings = country.rings.iter().map(|ring| twice_area(&country.points[ring.clone()]));
            let area = rings.sum::<f64>().abs();
            let covered: f64 = country
                .triangles
                .as_chunks::<3>()
                .0
                .iter()
                .map(|corners| twice_area(&corners.map(|at| country.points[at as usize])).abs())
                .sum();
            // Coordinates are `f32`: of the smallest countries, areas are a little off.
            assert!((area - covered).abs() <= area * 0.01, "{}: {area} {covered}", country.code);
        }
    }

    #[test]
    fn places_are_in_their_countries() {
        for (longitude, latitude, code) in [
            (-9.1, 38.8, "PT"),
            (-3.7, 40.4, "ES"),
            (-0.5, 51.6, "GB"),
            (-47.9, -15.8, "BR"),
            (-100.0, 40.0, "US"),
            (-150.0, 65.0, "US"),
            (178.0, 67.0, "RU"),
            (-175.0, 66.0, "RU"),
            (34.2, 45.2, "UA"),
            (28.3, -29.6, "LS"),
            (12.5, 41.9, "IT"),
            (135.0, -25.0, "AU"),
            (-53.0, 4.0, "GF"),
        ] {
            let place = MapPoint::of_degrees(longitude, latitude);
            let found: Vec<&str> =
                map_countries().iter().filter(|country| country.contains(place)).map(|c| c.code.as_str()).collect();
            assert_eq!(found, [code], "{longitude} {latitude}");
        }
        let sea = MapPoint::of_degrees(-30.0, 30.0);
        assert!(!map_countries().iter().any(|country| country.contains(sea)));
    }

    /// Half of the width and of the height are those that PROJ has for its sphere.
    #[test]
    fn the_projection_is_equal_earth() {
        let (x, y) = equal_earth(180.0, 0.0);
        assert!((x - 17_243_959.06 / 6_371_008.771_4).abs() < 1e-6 && (x - HALF_WIDTH).abs() < 1e-5 && y == 0.0, "{x}");
        let (x, y) = equal_earth(0.0, 90.0);
        assert!(x == 0.0 && (y - 8_392_927.6 / 6_371_008.771_4).abs() < 1e-6, "{x} {y}");
        // Areas are true: a field of ten degrees at the equator and one at sixty degrees north.
        let field = |south: f64| {
            let corner = |x: f64, y: f64| MapPoint::of_degrees(x, y);
            let edge: Vec<MapPoint> = (0..=100)
                .map(|step| corner(0.0, south + f64::from(step) / 10.0))
                .chain((0..=100).rev().map(|step| corner(10.0, south + f64::from(step) / 10.0)))
                .collect();
            twice_area(&edge).abs() / ((south + 10.0).to_radians().sin() - south.to_radians().sin())
        };
        assert!((field(0.0) / field(60.0) - 1.0).abs() < 1e-3, "{} {}", field(0.0), field(60.0));
    }

    #[test]
    fn domains_are_in_their_countries() {
        let code = |kind, value: &str| country_of(kind, value).map(|country| country.code.as_str());
        for (domain, expected) in [
            ("pt", Some("PT")),
            ("uk", Some("GB")),
            ("gb", Some("GB")),
            ("xn--p1ai", Some("RU")),
            ("xn--fiqs8s", Some("CN")),
            ("ac", Some("SH")),
            ("eu", None),
            ("com", None),
            ("example", None),
            ("", None),
        ] {
            assert_eq!(code(FacetKind::TopLevel, domain), expected, "{domain}");
        }
        assert_eq!(code(FacetKind::Country, "GB"), Some("GB"));
        assert_eq!(code(FacetKind::Country, "UK"), None);
        assert_eq!(code(FacetKind::Host, "pt"), None);
        let value = |value: &str, count| FacetValue { value: value.to_owned(), count };
        let values = [value("com", 9), value("uk", 4), value("pt", 4), value("gb", 1), value("", 2)];
        let found = count_by_country(FacetKind::TopLevel, &values);
        let found: Vec<_> = found.iter().map(|of| (of.country.name.as_str(), of.values.join(" "), of.count)).collect();
        assert_eq!(found, [("United Kingdom", "uk gb".to_owned(), 5), ("Portugal", "pt".to_owned(), 4)]);
    }

    /// Countries of the sample have their place on the map.
    #[test]
    fn countries_of_the_sample_are_on_the_map() {
        for (_, _, code) in crate::testing::town_countries() {
            assert!(country_of(FacetKind::Country, code).is_some(), "{code}");
        }
    }
}
