//! Reading a request: one walk over the body, noting where things lie.

use std::borrow::Cow;

use bytes::Bytes;

use crate::dialect::{Call, Element, Transcript, Unread};

pub(crate) fn read(body: Bytes) -> Result<Transcript, Unread> {
    todo!()
}

pub(crate) fn calls<'a>(transcript: &'a Transcript, element: &Element) -> Vec<Call<'a>> {
    todo!()
}

pub(crate) fn content<'a>(transcript: &'a Transcript, element: &Element) -> Cow<'a, str> {
    todo!()
}
