#![allow(clippy::unwrap_used)]
use super::*;
use std::net::IpAddr;

/// The bytes of `assets/sample-geo.mmdb`, made anew from the host table.
fn make_geo_database() -> Vec<u8> {
    use mmdb_writer::{IpVersion, Value, Writer};
    // 2024-06-01T00:00:00Z: a fixed build date keeps the file the same.
    let epoch = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_717_200_000);
    let mut writer = Writer::builder("Fonds-Sample-Country")
        .ip_version(IpVersion::V4)
        .description(&[("en", "Invented countries of the loopback networks of the Fonds sample web")])
        .build_epoch(epoch)
        .build();
    let dead = (hosts::DEAD_HOST_NET, "PT");
    for (net, country) in HOSTS.iter().map(|h| (h.net, h.country)).chain([dead]) {
        let network: ipnet::IpNet = format!("127.0.{net}.0/24").parse().unwrap();
        let record = Value::map([("country", Value::map([("iso_code", Value::from(country))]))]);
        writer.insert_value(network, record).unwrap();
    }
    writer.to_bytes().unwrap()
}

/// With FONDS_WRITE_SAMPLE_GEO=1 this writes the file instead of comparing it.
#[test]
fn geo_database_is_made_from_the_host_table() {
    let bytes = make_geo_database();
    if std::env::var_os("FONDS_WRITE_SAMPLE_GEO").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/sample-geo.mmdb");
        std::fs::write(path, &bytes).unwrap();
        return;
    }
    assert!(bytes == geo_database(), "run once with FONDS_WRITE_SAMPLE_GEO=1");
    let reader = maxminddb::Reader::from_source(geo_database()).unwrap();
    assert_eq!(reader.metadata().database_type, "Fonds-Sample-Country");
    for host in HOSTS {
        let found = reader.lookup(IpAddr::V4(host.address())).unwrap();
        let country: Option<String> = found
            .decode_path(&[maxminddb::PathElement::Key("country"), maxminddb::PathElement::Key("iso_code")])
            .unwrap();
        assert_eq!(country.as_deref(), Some(host.country), "{}", host.name);
    }
    assert!(!reader.lookup("127.0.0.1".parse().unwrap()).unwrap().has_data());
}
