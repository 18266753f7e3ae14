mod escape;
mod json;
mod oracle;
mod reader;

use super::{Json, Malformed};

fn refused(text: &str) -> Malformed {
    match Json::parse(text) {
        Ok(_) => panic!("{text:?} was accepted"),
        Err(malformed) => malformed,
    }
}
