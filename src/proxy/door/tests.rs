use std::sync::Arc;

use http::header::HeaderName;

use super::*;

fn door(secret: &str, keys: &[&str]) -> Door {
    let secret = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let keys = keys.iter().map(|key| digest(&secret, [key.as_bytes()])).collect();
    Door { secret, keys }
}

fn headers(list: &[(&'static str, &'static str)]) -> HeaderMap {
    let mut map = HeaderMap::new();
    for (name, value) in list {
        map.append(*name, HeaderValue::from_static(value));
    }
    map
}

fn tenant(door: &Door, list: &[(&'static str, &'static str)]) -> Tenant {
    door.admit(&headers(list)).unwrap().tenant
}

#[test]
fn an_open_door_lets_everyone_in_and_tells_them_apart() {
    let door = door("s", &[]);
    let alice = tenant(&door, &[("authorization", "Bearer sk-alice")]);
    assert_eq!(alice, tenant(&door, &[("authorization", "bearer  sk-alice")]));
    assert_ne!(alice, tenant(&door, &[("authorization", "Bearer sk-bob")]));
    assert_ne!(alice, tenant(&door, &[]));
    assert!(door.admit(&headers(&[("x-api-key", "sk-alice")])).unwrap().ours.is_empty());
}

#[test]
fn a_placeholder_in_one_header_does_not_make_two_agents_one() {
    let door = door("s", &[]);
    let placeholder = ("authorization", "Bearer dummy");
    assert_ne!(
        tenant(&door, &[placeholder, ("x-api-key", "sk-alice")]),
        tenant(&door, &[placeholder, ("x-api-key", "sk-bob")])
    );
    assert_ne!(
        tenant(&door, &[("x-api-key", "ab"), ("api-key", "c")]),
        tenant(&door, &[("x-api-key", "a"), ("api-key", "bc")])
    );
}

#[test]
fn another_secret_makes_other_tenants() {
    let shown = [("authorization", "Bearer sk-alice")];
    assert_ne!(tenant(&door("s", &[]), &shown), tenant(&door("t", &[]), &shown));
}

#[test]
fn a_closed_door_opens_to_its_keys_in_any_form() {
    let door = door("s", &["k1", "k2"]);
    for shown in [("authorization", "Bearer k2"), ("x-api-key", "k2"), ("api-key", "k2")] {
        let entry = door.admit(&headers(&[shown])).unwrap();
        assert_eq!(entry.ours, [HeaderName::from_static(shown.0)]);
        assert_eq!(entry.tenant, tenant(&door, &[("authorization", "Bearer k2")]));
    }
    assert_ne!(tenant(&door, &[("api-key", "k1")]), tenant(&door, &[("api-key", "k2")]));
}

#[test]
fn a_closed_door_stays_closed_to_near_misses() {
    let door = door("s", &["k1"]);
    for shown in ["", "k", "k11", "K1", "Bearer k1"] {
        let mut headers = HeaderMap::new();
        headers.insert("x-api-key", HeaderValue::from_static(shown));
        assert!(matches!(door.admit(&headers), Err(Failure::Unauthorized)), "{shown}");
    }
    assert!(door.admit(&HeaderMap::new()).is_err());
    assert!(door.admit(&headers(&[("authorization", "Basic k1")])).is_err());
}

#[test]
fn behind_a_closed_door_the_tenant_is_the_key_not_the_credential_beside_it() {
    let door = door("s", &["k1"]);
    let with = |credential| tenant(&door, &[("authorization", credential), ("x-api-key", "k1")]);
    assert_eq!(with("Bearer sk-alice"), with("Bearer sk-bob"));
    let entry = door.admit(&headers(&[("authorization", "Bearer sk-alice"), ("x-api-key", "k1")])).unwrap();
    assert_eq!(entry.ours, [HeaderName::from_static("x-api-key")]);
}

#[test]
fn neither_key_nor_secret_is_shown() {
    let door = Arc::new(door("very-secret", &["very-key"]));
    let shown = format!("{door:?} {:?}", door.admit(&headers(&[("api-key", "very-key")])));
    assert!(!shown.contains("very"));
}
