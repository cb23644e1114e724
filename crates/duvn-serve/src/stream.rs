//! The event stream: one line whenever an experiment has something new. A page that does not read it holds nobody up: what it
//! missed is told in one line when it reads again. The more pages there are, the longer each waits for its next line, so that
//! what they ask for next stays bounded.

use crate::answer::{Answer, Content, finish};
use crate::limits::{HEARTBEAT, STREAMS, pause};
use crate::shared::Shared;
use bytes::Bytes;
use hyper::{Response, StatusCode};
use std::sync::Arc;
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::mpsc;
use tokio::time::timeout;

/// Opens a stream, which lasts until the page goes away.
pub fn open(shared: &Arc<Shared>, permit: OwnedSemaphorePermit) -> Answer {
    let (sender, receiver) = mpsc::channel(1);
    let mut news = shared.news.subscribe();
    let shared = Arc::clone(shared);
    tokio::spawn(async move {
        let _permit = permit;
        let mut told: Vec<u64> = shared.shown.iter().map(|shown| shown.version()).collect();
        // The page asks again in two seconds where the connection breaks.
        let mut text = String::from("retry: 2000\n\n");
        let mut changed = false;
        loop {
            if sender.send(Bytes::from(std::mem::take(&mut text))).await.is_err() {
                return;
            }
            let streams = STREAMS - shared.streams.available_permits();
            if std::mem::take(&mut changed) && timeout(pause(streams), sender.closed()).await.is_ok() {
                return;
            }
            while text.is_empty() {
                match timeout(HEARTBEAT, news.changed()).await {
                    Ok(Ok(())) => {}
                    Ok(Err(_)) => return,
                    Err(_) => text.push_str(": alive\n\n"),
                }
                for (e, (shown, told)) in shared.shown.iter().zip(&mut told).enumerate() {
                    let version = shown.version();
                    if version != *told {
                        *told = version;
                        changed = true;
                        text += &format!("event: change\ndata: {{\"e\":{e},\"v\":{version}}}\n\n");
                    }
                }
                if sender.is_closed() {
                    return;
                }
            }
        }
    });
    finish(Response::new(Content::Stream(receiver)), StatusCode::OK, "text/event-stream")
}
