//! Who may ask for what.
//!
//! - The name in `Host`, without its port, must be one of ours: a foreign page cannot reach us through a name of its own that
//!   leads to this machine (DNS rebinding).
//! - Data need a session: a cookie that is given for the token, or the token itself.
//! - What changes something, and the event stream, must come from our own page: `Origin` and `Sec-Fetch-Site` are looked at.

use crate::error::ServeError;
use hyper::header::{AUTHORIZATION, COOKIE, HOST, HeaderMap, HeaderValue, ORIGIN};
use std::net::{IpAddr, SocketAddr};

/// The secrets, and the names that lead here.
pub struct Guard {
    token: String,
    session: String,
    cookie: String,
    hosts: Vec<String>,
}

impl Guard {
    /// New secrets for a server that listens at `address`.
    pub fn new(address: SocketAddr) -> Result<Self, ServeError> {
        let mut hosts: Vec<String> = ["127.0.0.1", "localhost", "[::1]"].map(String::from).to_vec();
        let own = match address.ip() {
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        };
        // An address that means "all of them" is no name of ours.
        if !address.ip().is_unspecified() && !hosts.contains(&own) {
            hosts.push(own);
        }
        let (token, session) = (secret()?, secret()?);
        Ok(Guard { token, session, cookie: format!("duvn_{}", address.port()), hosts })
    }

    /// The token.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Whether the request was sent to one of our names.
    pub fn host(&self, headers: &HeaderMap) -> bool {
        let mut found = headers.get_all(HOST).iter();
        match (found.next().and_then(|host| host.to_str().ok()), found.next()) {
            (Some(host), None) => self.ours(host),
            _ => false,
        }
    }

    fn ours(&self, host: &str) -> bool {
        without_port(host).is_some_and(|name| self.hosts.iter().any(|own| own.eq_ignore_ascii_case(name)))
    }

    /// Whether the request brings a session.
    pub fn session(&self, headers: &HeaderMap) -> bool {
        let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs =
            cookies.flat_map(|list| list.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.any(|(name, value)| name == self.cookie && same(value, &self.session)) || self.bearer(headers)
    }

    /// Whether the request brings the token itself, as a program does and no page can without knowing it.
    pub fn bearer(&self, headers: &HeaderMap) -> bool {
        let given = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        given.and_then(|text| text.strip_prefix("Bearer ")).is_some_and(|given| same(given, &self.token))
    }

    /// The cookie for whoever knows the token.
    pub fn enter(&self, headers: &HeaderMap) -> Option<HeaderValue> {
        let given = headers.get("x-duvn-token").and_then(|value| value.to_str().ok())?;
        if !same(given, &self.token) {
            return None;
        }
        let cookie = format!("{}={}; Path=/; HttpOnly; SameSite=Strict", self.cookie, self.session);
        HeaderValue::from_str(&cookie).ok()
    }

    /// Whether nothing says that another site has made the request.
    pub fn no_stranger(&self, headers: &HeaderMap) -> bool {
        let site = headers.get("sec-fetch-site").map(|value| value.as_bytes());
        let own_site = matches!(site, None | Some(b"same-origin" | b"none"));
        own_site && (!headers.contains_key(ORIGIN) || self.own_origin(headers))
    }

    /// Whether the request says that our own page has made it.
    pub fn own_origin(&self, headers: &HeaderMap) -> bool {
        let mut all = headers.get_all(ORIGIN).iter();
        let (Some(Ok(origin)), None) = (all.next().map(HeaderValue::to_str), all.next()) else {
            return false;
        };
        let Some(Ok(host)) = headers.get(HOST).map(HeaderValue::to_str) else { return false };
        origin.strip_prefix("http://").is_some_and(|name| name.eq_ignore_ascii_case(host) && self.ours(name))
    }
}

/// A name without its port; none where what stands behind the colon is no port.
fn without_port(host: &str) -> Option<&str> {
    let end = if host.starts_with('[') { host.find(']')? + 1 } else { host.find(':').unwrap_or(host.len()) };
    let (name, rest) = host.split_at(end);
    match rest.strip_prefix(':') {
        None if rest.is_empty() => Some(name),
        Some(port) if !port.is_empty() && port.bytes().all(|digit| digit.is_ascii_digit()) => Some(name),
        _ => None,
    }
}

/// Whether two texts are the same, in a time that does not tell where they differ.
fn same(given: &str, own: &str) -> bool {
    let differ = given.bytes().zip(own.bytes()).fold(0, |differ, (a, b)| differ | (a ^ b));
    given.len() == own.len() && differ == 0
}

/// 32 random bytes in hexadecimal digits.
fn secret() -> Result<String, ServeError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| ServeError::Secret(error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard() -> Guard {
        Guard::new("127.0.0.1:8000".parse().unwrap()).unwrap()
    }

    fn headers(list: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in list {
            headers.append(*name, HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    #[test]
    fn only_our_own_names_are_taken_whatever_the_port() {
        let guard = guard();
        for host in ["127.0.0.1:8000", "localhost", "LocalHost:1", "[::1]:8000", "[::1]"] {
            assert!(guard.host(&headers(&[("host", host)])), "{host}");
        }
        for host in [
            "evil.example",
            "evil.example:8000",
            "localhost.evil.example",
            "127.0.0.1.evil",
            "localhost:",
            "localhost:8000x",
            "127.0.0.2",
            "0.0.0.0:8000",
            "[::1",
            "",
            "localhost@evil",
            "localhost:80:80",
        ] {
            assert!(!guard.host(&headers(&[("host", host)])), "{host}");
        }
        assert!(!guard.host(&headers(&[])));
        assert!(!guard.host(&headers(&[("host", "localhost"), ("host", "localhost")])));
    }

    #[test]
    fn a_session_is_the_cookie_for_the_token_or_the_token_itself() {
        let guard = guard();
        assert!(guard.enter(&headers(&[("x-duvn-token", "0")])).is_none());
        assert!(guard.enter(&headers(&[])).is_none());
        let cookie = guard.enter(&headers(&[("x-duvn-token", guard.token())])).unwrap();
        let cookie = cookie.to_str().unwrap();
        assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
        let pair = cookie.split(';').next().unwrap();
        assert!(guard.session(&headers(&[("cookie", &format!("a=b; {pair}; c=d"))])));
        assert!(guard.session(&headers(&[("authorization", &format!("Bearer {}", guard.token()))])));
        for wrong in [
            ("cookie", "duvn_8000="),
            ("cookie", "duvn_8000=00"),
            ("authorization", "Bearer "),
            ("cookie", ""),
        ] {
            assert!(!guard.session(&headers(&[wrong])), "{wrong:?}");
        }
        // The token is not the cookie's value.
        assert!(!guard.session(&headers(&[("cookie", &format!("duvn_8000={}", guard.token()))])));
    }

    #[test]
    fn another_sites_requests_are_known_by_their_origin() {
        let guard = guard();
        let host = ("host", "localhost:8000");
        assert!(guard.own_origin(&headers(&[host, ("origin", "http://localhost:8000")])));
        for origin in [
            "null",
            "http://evil.example",
            "https://localhost:8000",
            "http://localhost:8001",
            "http://127.0.0.1:8000",
            "",
        ] {
            assert!(!guard.own_origin(&headers(&[host, ("origin", origin)])), "{origin}");
            assert!(!guard.no_stranger(&headers(&[host, ("origin", origin)])), "{origin}");
        }
        assert!(!guard.own_origin(&headers(&[host])));
        assert!(guard.no_stranger(&headers(&[host])));
        assert!(!guard.no_stranger(&headers(&[host, ("sec-fetch-site", "cross-site")])));
        assert!(!guard.no_stranger(&headers(&[host, ("sec-fetch-site", "same-site")])));
        assert!(guard.no_stranger(&headers(&[host, ("sec-fetch-site", "same-origin")])));
    }
}
