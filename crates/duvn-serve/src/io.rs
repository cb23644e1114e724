//! Connections: how they are taken, and how long they may do nothing.

use crate::limits::{HEAD, HEAD_TIME, HEADERS, TAKE_TIME};
use crate::routes::respond;
use crate::shared::Shared;
use hyper::rt::{Read, ReadBufCursor, Sleep, Timer, Write};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use std::future::Future;
use std::io::{Error, ErrorKind, Result};
use std::net::TcpListener;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// Takes connections until `over` is raised.
pub async fn accept(listener: TcpListener, shared: Arc<Shared>, over: Arc<AtomicBool>) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    while !over.load(Ordering::Relaxed) {
        let stream = match tokio::time::timeout(Duration::from_millis(200), listener.accept()).await {
            Err(_) => continue,
            Ok(Ok((stream, _))) => stream,
            Ok(Err(_)) => {
                // Most likely the system has no file left for it: others will be closed soon.
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        // One too many is closed at once.
        let Ok(permit) = Arc::clone(&shared.connections).try_acquire_owned() else { continue };
        let _ = stream.set_nodelay(true);
        let shared = Arc::clone(&shared);
        tokio::spawn(async move {
            let _permit = permit;
            let service = service_fn(move |request| {
                let shared = Arc::clone(&shared);
                async move { Ok::<_, std::convert::Infallible>(respond(shared, request).await) }
            });
            let mut http = http1::Builder::new();
            http.timer(Clock).header_read_timeout(HEAD_TIME).max_buf_size(HEAD).max_headers(HEADERS);
            http.half_close(false).auto_date_header(true);
            // What goes wrong on one connection is that client's concern.
            let _ = http.serve_connection(Line::new(stream), service).await;
        });
    }
}

/// A connection whose client must take what is sent to it.
struct Line {
    stream: TcpStream,
    /// When patience with a client that takes nothing ends.
    patience: Option<Pin<Box<tokio::time::Sleep>>>,
}

impl Line {
    fn new(stream: TcpStream) -> Self {
        Line { stream, patience: None }
    }

    /// What a write came to, or that the client has taken nothing for too long.
    fn in_time<T>(&mut self, written: Poll<Result<T>>, context: &mut Context<'_>) -> Poll<Result<T>> {
        if written.is_ready() {
            self.patience = None;
            return written;
        }
        let patience = self.patience.get_or_insert_with(|| Box::pin(tokio::time::sleep(TAKE_TIME)));
        patience.as_mut().poll(context).map(|()| Err(Error::from(ErrorKind::TimedOut)))
    }
}

impl Read for Line {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        mut room: ReadBufCursor<'_>,
    ) -> Poll<Result<()>> {
        let mut bytes = [0; 4096];
        let most = bytes.len().min(room.remaining());
        let mut read = ReadBuf::new(&mut bytes[..most]);
        match Pin::new(&mut self.stream).poll_read(context, &mut read) {
            Poll::Ready(Ok(())) => {
                room.put_slice(read.filled());
                Poll::Ready(Ok(()))
            }
            other => other,
        }
    }
}

impl Write for Line {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.in_time(written, context)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.in_time(flushed, context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// Tokio's clock, as hyper asks for it.
#[derive(Clone, Copy)]
struct Clock;

struct Nap(Pin<Box<tokio::time::Sleep>>);

impl Future for Nap {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        self.0.as_mut().poll(context)
    }
}

impl Sleep for Nap {}

impl Timer for Clock {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        Box::pin(Nap(Box::pin(tokio::time::sleep(duration))))
    }

    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn Sleep>> {
        Box::pin(Nap(Box::pin(tokio::time::sleep_until(deadline.into()))))
    }
}
