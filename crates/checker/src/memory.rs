//! How much memory there is, and how much the process has used. Where the system does not say, there is no
//! answer.

use std::fs::read_to_string;

/// Bytes that can be taken without harm to others: what the system has available, or less if the control
/// group of this process, or its limit on addresses (`ulimit -v`), allows less.
pub fn available() -> Option<u64> {
    let system = read_to_string("/proc/meminfo").ok().and_then(|text| kilobytes(&text, "MemAvailable:"));
    [system, left_in_control_group(), left_of_addresses()].into_iter().flatten().min()
}

/// What the limit on addresses leaves.
fn left_of_addresses() -> Option<u64> {
    let limits = read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let limit = line.split_whitespace().next()?.parse::<u64>().ok()?;
    let used = kilobytes(&read_to_string("/proc/self/status").ok()?, "VmSize:")?;
    Some(limit.saturating_sub(used))
}

/// The most memory that the process ever had.
pub fn peak_rss() -> Option<u64> {
    kilobytes(&read_to_string("/proc/self/status").ok()?, "VmHWM:")
}

/// The value of a line such as `MemAvailable:  1234 kB`, in bytes.
fn kilobytes(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    Some(line.trim().trim_end_matches("kB").trim().parse::<u64>().ok()? * 1024)
}

/// What the control group of this process, and those around it, still allow.
fn left_in_control_group() -> Option<u64> {
    let groups = read_to_string("/proc/self/cgroup").ok()?;
    let mut least = None;
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':');
        let (_, controllers, path) = (parts.next(), parts.next()?, parts.next()?);
        let (root, limit, usage, cache) = if controllers.is_empty() {
            ("/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file ")
        } else if controllers.split(',').any(|controller| controller == "memory") {
            (
                "/sys/fs/cgroup/memory",
                "memory.limit_in_bytes",
                "memory.usage_in_bytes",
                "total_inactive_file ",
            )
        } else {
            continue;
        };
        let mut path = path.trim_end_matches('/');
        loop {
            let read = |file: &str| read_to_string(format!("{root}{path}/{file}")).ok();
            let number = |file: &str| read(file)?.trim().parse::<u64>().ok();
            if let (Some(limit), Some(usage)) = (number(limit), number(usage)) {
                // Pages of files can be dropped: they do not count as used.
                let stat = read("memory.stat").unwrap_or_default();
                let files =
                    stat.lines().find_map(|line| line.strip_prefix(cache)?.trim().parse::<u64>().ok());
                let left = limit.saturating_sub(usage.saturating_sub(files.unwrap_or(0)));
                least = Some(least.map_or(left, |least: u64| least.min(left)));
            }
            match path.rfind('/') {
                Some(parent) => path = &path[..parent],
                None => break,
            }
        }
    }
    least
}

/// A number of bytes as people write it.
pub fn parse(text: &str) -> Result<u64, String> {
    let expected = || "expected a number of bytes, or one with K, M, G or T, such as 512M".to_string();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number: f64 = text[..digits].parse().map_err(|_| expected())?;
    let unit = match text[digits..].trim().to_ascii_uppercase().as_str() {
        "" | "B" => 1u64,
        "K" | "KB" | "KIB" => 1 << 10,
        "M" | "MB" | "MIB" => 1 << 20,
        "G" | "GB" | "GIB" => 1 << 30,
        "T" | "TB" | "TIB" => 1 << 40,
        _ => return Err(expected()),
    };
    Ok((number * unit as f64) as u64)
}

/// Bytes that the machine has.
pub fn total() -> Option<u64> {
    kilobytes(&read_to_string("/proc/meminfo").ok()?, "MemTotal:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_system_files() {
        assert_eq!(kilobytes("MemTotal: 5 kB\nMemAvailable:   12 kB\n", "MemAvailable:"), Some(12 * 1024));
        assert_eq!(kilobytes("MemTotal: 5 kB\n", "MemAvailable:"), None);
    }
}
