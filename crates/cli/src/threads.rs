//! How many threads there are to be: the values of `--threads`.

use std::num::NonZeroUsize;

/// How many threads there are to be; `None` is `auto`.
#[derive(Clone, Copy, Debug)]
pub struct WishedThreads(pub Option<NonZeroUsize>);

/// The same as text.
pub fn wished_threads(text: &str) -> Result<WishedThreads, String> {
    if text == "auto" { Ok(WishedThreads(None)) } else { threads(text).map(|n| WishedThreads(Some(n))) }
}

/// A number of threads, or `auto`.
pub fn threads(text: &str) -> Result<NonZeroUsize, String> {
    let threads = match text {
        "auto" => Some(std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)),
        _ => text.parse().ok().filter(|threads: &NonZeroUsize| threads.get() <= MOST_THREADS),
    };
    threads.ok_or_else(|| format!("expected `auto`, or a number from 1 to {MOST_THREADS}"))
}

/// Nobody has more processors.
const MOST_THREADS: usize = 1024;
