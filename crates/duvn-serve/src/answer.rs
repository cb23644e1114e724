//! Answers, and the headers that every one of them has.

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use hyper::header::{
    ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use hyper::{Response, StatusCode};
use serde_json::{Value, json};
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::sync::mpsc::Receiver;

/// What is sent.
pub enum Content {
    /// All of it at once.
    Whole(Option<Bytes>),
    /// As it comes.
    Stream(Receiver<Bytes>),
}

impl Body for Content {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut *self {
            Content::Whole(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Content::Stream(events) => {
                events.poll_recv(context).map(|event| event.map(|bytes| Ok(Frame::data(bytes))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Content::Whole(None))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Content::Whole(bytes) => {
                SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
            }
            Content::Stream(_) => SizeHint::default(),
        }
    }
}

/// An answer.
pub type Answer = Response<Content>;

/// Scripts, styles, pictures and data from here and nowhere else; nothing inline; in no other page's frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// An answer of some type.
pub fn answer(status: StatusCode, kind: &'static str, bytes: impl Into<Bytes>) -> Answer {
    finish(Response::new(Content::Whole(Some(bytes.into()))), status, kind)
}

/// Adds what every answer has.
pub fn finish(mut response: Answer, status: StatusCode, kind: &'static str) -> Answer {
    *response.status_mut() = status;
    let headers = response.headers_mut();
    let mut put = |name: HeaderName, value: &'static str| {
        headers.insert(name, HeaderValue::from_static(value));
    };
    put(CONTENT_TYPE, kind);
    put(CONTENT_SECURITY_POLICY, POLICY);
    put(X_CONTENT_TYPE_OPTIONS, "nosniff");
    put(X_FRAME_OPTIONS, "DENY");
    put(REFERRER_POLICY, "no-referrer");
    put(CACHE_CONTROL, "no-store");
    put(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    put(HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    response
}

/// JSON that is made already.
pub fn json_bytes(bytes: Bytes) -> Answer {
    answer(StatusCode::OK, "application/json", bytes)
}

/// JSON.
pub fn json_answer(value: &Value) -> Answer {
    json_bytes(value.to_string().into())
}

/// A sentence that says what is wrong.
pub fn refuse(status: StatusCode, why: &str) -> Answer {
    answer(status, "application/json", json!({ "error": why }).to_string())
}

/// What may be done instead.
pub fn not_allowed(allowed: &'static str) -> Answer {
    let mut refusal = refuse(StatusCode::METHOD_NOT_ALLOWED, &format!("only {allowed} is allowed here"));
    refusal.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    refusal
}
