//! Countries of addresses, by a MaxMind database that the archivist brings.

use super::{AddressCountry, AnswerSource, GeoEvidence};
use crate::uri::CaptureDate;
use maxminddb::{MaxMindDbError, PathElement, Reader};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::net::IpAddr;
use std::path::{Path, PathBuf};

/// A country (or city) database in MaxMind's format: GeoLite2, DB-IP, or one
/// with a flat `country_code`.
#[derive(Debug)]
pub struct GeoDatabase {
    reader: Reader<Vec<u8>>,
    path: PathBuf,
}

/// Why a database cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum GeoError {
    /// The file cannot be read.
    #[error("cannot read the country database {path}: {why}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        why: std::io::Error,
    },
    /// The file is no database, or a broken one.
    #[error("{path} is not a sound MaxMind database (.mmdb): {why}; download it again")]
    Broken {
        /// The file.
        path: PathBuf,
        /// The fault.
        why: String,
    },
    /// The database has no countries.
    #[error("{path} (type {database}) has no countries; choose a country or city database")]
    NoCountries {
        /// The file.
        path: PathBuf,
        /// Its type.
        database: String,
    },
}

/// Where the two families of databases keep the country.
const COUNTRY_PATHS: [&[PathElement<'static>]; 2] =
    [&[PathElement::Key("country"), PathElement::Key("iso_code")], &[PathElement::Key("country_code")]];

/// Older databases get a remark: address blocks change hands every week.
const OUTDATED_DAYS: i64 = 90;
const DAY_SECONDS: i64 = 86_400;

/// Entries read to see whether a database has countries: enough to meet
/// one in any real file, few enough to open it in no time.
const ENTRIES_TRIED: usize = 2000;

impl GeoDatabase {
    /// Reads a database into memory and makes sure that it has countries.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, GeoError> {
        let path = path.as_ref().to_owned();
        let bytes = std::fs::read(&path).map_err(|why| GeoError::Unreadable { path: path.clone(), why })?;
        let broken = |why: MaxMindDbError| GeoError::Broken { path: path.clone(), why: why.to_string() };
        let reader = Reader::from_source(bytes).map_err(broken)?;
        let mut has_countries = false;
        for entry in reader.networks(Default::default()).map_err(broken)?.take(ENTRIES_TRIED) {
            let entry = entry.map_err(broken)?;
            entry.decode::<Whole>().map_err(broken)?;
            has_countries |= country_of(&entry).map_err(broken)?.is_some();
        }
        match has_countries {
            true => Ok(Self { reader, path }),
            false => Err(GeoError::NoCountries { database: reader.metadata().database_type.clone(), path }),
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Type of the database, such as `GeoLite2-Country`.
    pub fn database_type(&self) -> &str {
        &self.reader.metadata().database_type
    }

    /// Nodes of its search tree, a measure of the number of its networks.
    pub fn nodes(&self) -> u64 {
        u64::from(self.reader.metadata().node_count)
    }

    /// Whether it knows IPv6 addresses.
    pub fn knows_ipv6(&self) -> bool {
        self.reader.metadata().ip_version == 6
    }

    /// The build date of the database.
    pub fn build_date(&self) -> CaptureDate {
        CaptureDate::from_seconds(i64::try_from(self.reader.metadata().build_epoch).unwrap_or(i64::MAX))
    }

    /// A warning where the database should not be trusted at `now`.
    pub fn remark(&self, now: CaptureDate) -> Option<String> {
        let build = self.build_date();
        let text = build.to_readable();
        let day = text.split(' ').next().unwrap_or_default();
        match (now.seconds() - build.seconds()).div_euclid(DAY_SECONDS) {
            ..-1 => Some(format!("the country database says it was built on {day}, which is still to come")),
            days if days > OUTDATED_DAYS => Some(format!(
                "the country database ({}) was built on {day}, {days} days ago; addresses move, so bring a newer one",
                self.database_type()
            )),
            _ => None,
        }
    }

    /// The network of an address and its ISO 3166 country; none where the
    /// database has none. It is the country where the address is used, never
    /// the one where it is registered. An IPv4 address that is written as one of
    /// IPv6 (`::ffff:203.0.113.5`) is looked up as what it is.
    pub fn lookup(&self, address: IpAddr) -> Result<(String, Option<String>), GeoError> {
        let address = address.to_canonical();
        let broken = |why: MaxMindDbError| GeoError::Broken { path: self.path.clone(), why: why.to_string() };
        if address.is_ipv6() && self.reader.metadata().ip_version == 4 {
            // The whole of IPv6 is unknown to such a database.
            return Ok(("::/0".to_owned(), None));
        }
        let entry = self.reader.lookup(address).map_err(broken)?;
        let network = entry.network().map_err(broken)?;
        Ok((network.to_string(), country_of(&entry).map_err(broken)?))
    }

    /// The evidence for a host with these addresses, looked up at `date`. An
    /// entry that cannot be read is no evidence of anything, not of no country.
    pub fn evidence(&self, addresses: &[IpAddr], date: CaptureDate) -> Result<GeoEvidence, GeoError> {
        let place = |&address: &IpAddr| {
            let (network, country) = self.lookup(address)?;
            let (registered, city) = self.more_about(address);
            Ok(AddressCountry { registered, city, ..AddressCountry::new(address, network, country) })
        };
        Ok(GeoEvidence {
            date,
            addresses: addresses.iter().map(place).collect::<Result<_, GeoError>>()?,
            database: self.database_type().to_owned(),
            database_build: self.build_date(),
            source: AnswerSource::Unrecorded,
        })
    }

    /// The country that the network is registered in, and the city, where the
    /// database has them. No rule uses these.
    fn more_about(&self, address: IpAddr) -> (Option<String>, Option<String>) {
        let address = address.to_canonical();
        if address.is_ipv6() && self.reader.metadata().ip_version == 4 {
            return (None, None);
        }
        let Ok(entry) = self.reader.lookup(address) else { return (None, None) };
        let text =
            |path: &[PathElement<'_>]| entry.decode_path::<String>(path).ok().flatten().filter(|text| !text.is_empty());
        let registered = text(&[PathElement::Key("registered_country"), PathElement::Key("iso_code")]);
        let city = text(&[PathElement::Key("city"), PathElement::Key("names"), PathElement::Key("en")])
            .or_else(|| text(&[PathElement::Key("city")]));
        (registered.map(|code| code.to_ascii_uppercase()), city)
    }
}

/// All of an entry, read to see whether it can be: a country out of a file
/// with broken entries is no evidence.
struct Whole;

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WholeVisitor)
    }
}

struct WholeVisitor;

impl<'de> Visitor<'de> for WholeVisitor {
    type Value = Whole;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("any value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Whole, E> {
        Ok(Whole)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Whole, E> {
        Ok(Whole)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Whole, E> {
        Ok(Whole)
    }

    fn visit_u128<E>(self, _: u128) -> Result<Whole, E> {
        Ok(Whole)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Whole, E> {
        Ok(Whole)
    }

    fn visit_str<E>(self, _: &str) -> Result<Whole, E> {
        Ok(Whole)
    }

    fn visit_bytes<E>(self, _: &[u8]) -> Result<Whole, E> {
        Ok(Whole)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Whole, A::Error> {
        while list.next_element::<Whole>()?.is_some() {}
        Ok(Whole)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Whole, A::Error> {
        while map.next_entry::<Whole, Whole>()?.is_some() {}
        Ok(Whole)
    }
}

/// The country of an entry, wherever its database keeps it.
fn country_of(entry: &maxminddb::LookupResult<'_, Vec<u8>>) -> Result<Option<String>, MaxMindDbError> {
    for path in COUNTRY_PATHS {
        if let Some(code) = entry.decode_path::<String>(path)?.filter(|code| !code.is_empty() && code != "-") {
            return Ok(Some(code.to_ascii_uppercase()));
        }
    }
    Ok(None)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::testing::data;
    use mmdb_writer::{Value, Writer};

    fn write(dir: &Path, entries: &[(&str, Value)]) -> PathBuf {
        let mut writer = Writer::new("Test-Country");
        for (network, value) in entries {
            writer.insert_value(network.parse::<ipnet::IpNet>().unwrap(), value.clone()).unwrap();
        }
        let path = dir.join("test.mmdb");
        std::fs::write(&path, writer.to_bytes().unwrap()).unwrap();
        path
    }

    fn map(key: &str, value: Value) -> Value {
        Value::Map([(key.into(), value)].into_iter().collect())
    }

    #[test]
    fn reads_both_families_of_databases() {
        let dir = tempfile::tempdir().unwrap();
        let nested = map("country", map("iso_code", Value::String("PT".into())));
        let registered = map("registered_country", map("iso_code", Value::String("US".into())));
        let flat = map("country_code", Value::String("br".into()));
        let path =
            write(dir.path(), &[("192.0.2.0/24", nested), ("198.51.100.0/25", flat), ("203.0.113.0/24", registered)]);
        let database = GeoDatabase::open(&path).unwrap();
        assert_eq!(database.database_type(), "Test-Country");
        for (address, network, country) in [
            ("192.0.2.7", "192.0.2.0/24", Some("PT")),
            ("198.51.100.1", "198.51.100.0/25", Some("BR")),
            ("203.0.113.1", "203.0.113.0/24", None),
        ] {
            let (found, code) = database.lookup(address.parse().unwrap()).unwrap();
            assert_eq!((found.as_str(), code.as_deref()), (network, country), "{address}");
        }
        // The database is as old as this test.
        let days = |days: i64| CaptureDate::from_seconds(database.build_date().seconds() + days * DAY_SECONDS);
        assert_eq!(database.remark(days(1)), None);
        assert!(database.remark(days(91)).unwrap().contains("91 days ago"));
        assert!(database.remark(days(-2)).unwrap().contains("still to come"));
        let evidence = database.evidence(&["203.0.113.1".parse().unwrap()], CaptureDate::from_seconds(1)).unwrap();
        assert_eq!(evidence.addresses[0].registered.as_deref(), Some("US"));
        let evidence = database.evidence(&["192.0.2.7".parse().unwrap()], CaptureDate::from_seconds(1)).unwrap();
        assert_eq!(evidence.addresses[0].country.as_deref(), Some("PT"));
        assert_eq!(evidence.database_build, database.build_date());
    }

    #[test]
    fn an_entry_that_cannot_be_read_is_no_evidence() {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = Writer::new("Test-Country");
        for at in 0..=u32::try_from(ENTRIES_TRIED).unwrap() {
            let network = format!("10.{}.{}.0/24", at / 256, at % 256);
            let country = if at % 2 == 0 { "PT" } else { "ES" };
            writer.insert_value(network.parse::<ipnet::IpNet>().unwrap(), map("country_code", country.into())).unwrap();
        }
        // Behind all that are tried when the database is opened.
        writer
            .insert_value("192.0.2.0/24".parse::<ipnet::IpNet>().unwrap(), map("country_code", 5_u16.into()))
            .unwrap();
        let path = dir.path().join("test.mmdb");
        std::fs::write(&path, writer.to_bytes().unwrap()).unwrap();
        let database = GeoDatabase::open(&path).unwrap();
        let addresses = ["10.0.0.1".parse().unwrap(), "192.0.2.1".parse().unwrap()];
        let date = CaptureDate::from_seconds(1);
        assert_eq!(database.evidence(&addresses[..1], date).unwrap().addresses[0].country.as_deref(), Some("PT"));
        let error = database.evidence(&addresses, date).unwrap_err();
        assert!(error.to_string().contains("test.mmdb"), "{error}");
    }

    #[test]
    fn what_is_no_country_database_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        assert!(matches!(GeoDatabase::open(dir.path().join("none.mmdb")), Err(GeoError::Unreadable { .. })));
        let text = dir.path().join("text.mmdb");
        std::fs::write(&text, "no database").unwrap();
        assert!(matches!(GeoDatabase::open(&text), Err(GeoError::Broken { .. })));
        let asn = write(dir.path(), &[("192.0.2.0/24", map("autonomous_system_number", Value::from(1u32)))]);
        assert!(matches!(GeoDatabase::open(&asn), Err(GeoError::NoCountries { .. })));
        // Cut anywhere, a database is refused or answers; nothing panics.
        let bytes = std::fs::read(&asn).unwrap();
        for len in 0..bytes.len() {
            std::fs::write(&text, &bytes[..len]).unwrap();
            assert!(GeoDatabase::open(&text).is_err(), "{len}");
        }
    }

    #[test]
    fn countries_agree_with_the_reference_reader() {
        let Some(table) = data("mmdb/lookups.tsv") else { return };
        let mut counts = std::collections::BTreeMap::new();
        for row in std::fs::read_to_string(&table).unwrap().lines().skip(1) {
            let columns: Vec<&str> = row.split('\t').collect();
            let (name, address, expected) = (columns[0], columns[1], columns[2]);
            let (database, right) = counts
                .entry(name.to_owned())
                .or_insert_with(|| (GeoDatabase::open(table.with_file_name(format!("{name}.mmdb"))).unwrap(), 0));
            let (network, country) = database.lookup(address.parse().unwrap()).unwrap();
            assert_eq!(country.as_deref().unwrap_or("-"), expected, "{name} {address}");
            let network: ipnet::IpNet = network.parse().unwrap();
            assert!(network.contains(&address.parse::<IpAddr>().unwrap().to_canonical()), "{network} {address}");
            *right += 1;
        }
        for (name, (database, right)) in &counts {
            println!("{name} of {}: {right} of {right} countries", database.build_date());
        }
        println!("mmdb look-ups: {0} of {0}", counts.values().map(|(_, right)| right).sum::<usize>());
    }

    #[test]
    fn foreign_databases_are_refused_or_answer() {
        let Some(folder) = data("mmdb") else { return };
        let addresses = ["1.1.1.1", "81.2.69.142", "2001:218::1", "::1", "255.255.255.255"];
        let (mut opened_count, mut refused) = (0, 0);
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "mmdb") {
                continue;
            }
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let has_countries = name.starts_with("GeoIP2") || name.starts_with("GeoLite2-Country");
            let sound = has_countries && !name.contains("Broken");
            let opened = GeoDatabase::open(&path);
            assert_eq!(opened.is_ok(), sound, "{name}");
            match opened {
                Ok(database) => {
                    opened_count += 1;
                    let answers = addresses.map(|address| database.lookup(address.parse().unwrap()).is_ok());
                    println!("{name}: opened, {answers:?}");
                }
                Err(error) => {
                    refused += 1;
                    println!("{name}: {}", error.to_string().replace(&*path.to_string_lossy(), ""));
                }
            }
        }
        println!("mmdb files: {opened_count} opened, {refused} refused, none panicked");
    }
}
