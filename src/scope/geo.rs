//! Where an address is, by a MaxMind database that the archivist brings.

use super::{AddressCountry, GeoEvidence};
use crate::uri::CaptureDate;
use maxminddb::{MaxMindDbError, PathElement, Reader};
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
        /// What the system says.
        why: std::io::Error,
    },
    /// The file is no database, or a broken one.
    #[error("{path} is not a sound MaxMind database (.mmdb): {why}; download it again")]
    Broken {
        /// The file.
        path: PathBuf,
        /// What is broken.
        why: String,
    },
    /// The database tells no countries.
    #[error("{path} is a {database} database and tells no countries; choose a country or city database")]
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

/// Entries looked at to see whether a database tells countries: enough to meet
/// one in any real file, few enough to open it in no time.
const ENTRIES_TRIED: usize = 2000;

impl GeoDatabase {
    /// Reads a database into memory and makes sure that it tells countries.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, GeoError> {
        let path = path.as_ref().to_owned();
        let bytes = std::fs::read(&path).map_err(|why| GeoError::Unreadable { path: path.clone(), why })?;
        let broken = |why: MaxMindDbError| GeoError::Broken { path: path.clone(), why: why.to_string() };
        let reader = Reader::from_source(bytes).map_err(broken)?;
        let mut failure = None;
        let tells = reader.networks(Default::default()).map_err(broken)?.take(ENTRIES_TRIED).any(|entry| {
            let country = entry.and_then(|entry| country_of(&entry));
            matches!(country.map_err(|why| failure = Some(why)), Ok(Some(_)))
        });
        match (tells, failure) {
            (true, _) => Ok(Self { reader, path }),
            (false, Some(why)) => Err(broken(why)),
            (false, None) => Err(GeoError::NoCountries { database: reader.metadata().database_type.clone(), path }),
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

    /// When the database was built.
    pub fn build_date(&self) -> CaptureDate {
        CaptureDate::from_seconds(i64::try_from(self.reader.metadata().build_epoch).unwrap_or(i64::MAX))
    }

    /// The network of an address and its ISO 3166 country; none where the
    /// database has none. It is the country where the address is used, never
    /// the one where it is registered.
    pub fn lookup(&self, address: IpAddr) -> Result<(String, Option<String>), GeoError> {
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
    /// entry that cannot be read counts as no country, and says so.
    pub fn evidence(&self, addresses: &[IpAddr], date: CaptureDate) -> GeoEvidence {
        let place = |&address: &IpAddr| {
            let (network, country) =
                self.lookup(address).unwrap_or_else(|error| (format!("unreadable: {error}"), None));
            AddressCountry { address, network, country }
        };
        GeoEvidence {
            date,
            addresses: addresses.iter().map(place).collect(),
            database: self.database_type().to_owned(),
            database_build: self.build_date(),
        }
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
