//! The scripted provider asks nobody: no name is looked up and no connection opened, whatever a script says.

use std::fs;
use std::path::{Path, PathBuf};

/// What could leave this process.
const WAYS_OUT: [&str; 9] = [
    "connect(",
    "TcpSocket::connect",
    "UdpSocket",
    "UnixStream",
    "lookup_host",
    "to_socket_addrs",
    "hyper_util::client",
    "hyper::client",
    "Command::new",
];

#[test]
fn nothing_in_the_room_opens_a_connection() {
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src/replay")];
    let mut files: Vec<PathBuf> = Vec::new();
    while let Some(path) = open.pop() {
        match fs::read_dir(&path) {
            Ok(entries) => open.extend(entries.flatten().map(|entry| entry.path())),
            Err(_) => files.push(path),
        }
    }
    let is_test = |file: &&PathBuf| {
        file.file_stem().is_some_and(|stem| stem == "tests")
            || file.components().any(|part| part.as_os_str() == "tests")
    };
    assert!(files.iter().any(|file| is_test(&file)), "the tests are clients, and would be found");
    for file in files.iter().filter(|file| !is_test(file)) {
        let code = fs::read_to_string(file).unwrap();
        for way in WAYS_OUT {
            assert!(!code.contains(way), "{} has {way}", file.display());
        }
    }
}

#[test]
fn the_page_loads_nothing_from_elsewhere() {
    let page = include_str!("../src/replay/server/page.html");
    for elsewhere in ["http://", "https://", "src=", "@import", "url("] {
        assert!(!page.contains(elsewhere), "{elsewhere}");
    }
}
