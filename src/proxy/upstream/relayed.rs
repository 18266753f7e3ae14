//! An answer that nobody here reads.

use http::Response;

use super::{Answer, headers};
use crate::proxy::body::Reply;

/// A provider's answer as it goes to the agent: status, headers and body unchanged.
pub(crate) fn relayed(answer: Answer) -> Response<Reply> {
    let (head, body) = answer.into_parts();
    let mut response = Response::new(Reply::relayed(body));
    *response.status_mut() = head.status;
    *response.headers_mut() = headers::response(&head.headers);
    response
}
