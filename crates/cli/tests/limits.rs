//! A limit is kept in every phase: while a model is read, a formula translated, a model compiled; while
//! something is searched for, made shorter, replayed and written. Each case here would go on for minutes, or
//! would take gigabytes.
//!
//! The ordinary tests ask that each case ends, long before it would by itself, with the right exit code and
//! the right reason. How exactly a limit is kept depends on the machine and on what else it does, so that
//! is asked by a test that is run by hand (`cargo test --release -p lariat-cli --test all limits::
//! -- --ignored`): twice the time and a second, and 1.25 times the memory and 64 MiB.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const LARIAT: &str = env!("CARGO_BIN_EXE_lariat");

/// Whatever the machine, nothing here takes longer.
const PATIENCE: Duration = Duration::from_secs(60);
/// The limit on time, in the cases that have one.
const SECOND: Duration = Duration::from_secs(1);
const MIB: u64 = 1 << 20;

/// A model, what is asked about it, and what is said when the limit is hit.
struct Case {
    phase: &'static str,
    model: String,
    options: Vec<String>,
    exit: i32,
    /// On the standard output.
    said: &'static str,
    limit: Limit,
}

#[derive(Clone, Copy, PartialEq)]
enum Limit {
    Second,
    Memory(u64),
}

/// Five counters: ten thousand million states.
const COUNTERS: &str = "byte a, b, c, d, e;
active proctype P() { do :: a = (a + 1) % 100 :: b = (b + 1) % 100 :: c = (c + 1) % 100 :: d = (d + 1) % 100 :: e = (e + 1) % 100 od }
";

/// The same, without a cycle: every run comes to an end.
const UPWARDS: &str = "byte a, b, c, d, e;
active proctype P() { do :: a < 200 -> a++ :: b < 200 -> b++ :: c < 200 -> c++ :: d < 200 -> d++ :: e < 200 -> e++ od }
";

/// One run, of this many steps, into an assertion that fails.
fn long_run(steps: u32, more: &str) -> String {
    format!(
        "int x; {more}\nactive proctype P() {{ do :: x < {steps} -> x++ :: else -> break od; assert(false) }}\n"
    )
}

/// A run of few transitions with very many steps, which are executed one by one when it is replayed.
const INDIVISIBLE: &str = "int x; byte y;
active proctype P() {
    do
    :: x < 10000 -> atomic { y = 0; do :: y < 100 -> y++ :: else -> break od; x++ }
    :: else -> break
    od;
    assert(false)
}
";

/// Many processes with long loops: to compile this takes many seconds.
fn many_transitions() -> String {
    let mut text = "int x; int y[10];\n".to_string();
    for process in 0..120 {
        text += &format!("active proctype P{process}() {{ int a; do\n");
        for k in 0..100 {
            let (one, two, three) = (k % 10, (k + 1) % 10, k + 2);
            text += &format!(
                ":: x % {three} == 0 -> a = (a * {three} + y[{one}]) % 97; y[{two}] = a + x; x = (x + {k}) % 1000\n"
            );
        }
        text += "od }\n";
    }
    text
}

/// A macro that stands for two of the one before, and so on: a short text of very many tokens.
fn macros(depth: u32) -> String {
    let each = |k: u32| format!("#define A{k} A{} A{}\n", k - 1, k - 1);
    let all: String = (1..=depth).map(each).collect();
    format!("#define A0 x++;\n{all}byte x; active proctype P() {{ A{depth} skip }}\n")
}

/// The same with inlines, which become statements.
fn inlines(depth: u32) -> String {
    let each = |k: u32| format!("inline i{k}() {{ i{}(); i{}() }}\n", k - 1, k - 1);
    let all: String = (1..=depth).map(each).collect();
    format!("byte x; inline i0() {{ x++ }}\n{all}active proctype P() {{ i{depth}() }}\n")
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_string).collect()
}

impl Case {
    fn timed(phase: &'static str, model: impl Into<String>, options: &str) -> Case {
        let mut options = words(options);
        options.extend(words("--timeout 1"));
        Case { phase, model: model.into(), options, exit: 2, said: "time limit", limit: Limit::Second }
    }

    fn small(phase: &'static str, model: impl Into<String>, options: &str, megabytes: u64) -> Case {
        let mut options = words(options);
        options.extend(["--max-memory".to_string(), format!("{megabytes}M")]);
        let limit = Limit::Memory(megabytes * MIB);
        Case { phase, model: model.into(), options, exit: 2, said: "memory limit", limit }
    }

    /// A translation is bounded in itself, to a second or two: the limit must be shorter.
    fn within(mut self, seconds: &str) -> Case {
        let place = self.options.iter().position(|option| option == "--timeout").unwrap();
        self.options[place + 1] = seconds.to_string();
        self
    }

    /// An option whose value has spaces in it.
    fn with(mut self, option: &str, value: impl Into<String>) -> Case {
        self.options.extend([option.to_string(), value.into()]);
        self
    }

    /// The violation had been found when the limit was hit.
    fn violated(self, said: &'static str) -> Case {
        Case { exit: 1, said, ..self }
    }
}

/// `(G F (a==0) -> G F (b==0)) & …`
fn long_formula() -> String {
    let part = |k: u32| format!("(G F (a=={k}) -> G F (b=={k}))");
    (0..8).map(part).collect::<Vec<_>>().join(" & ")
}

/// A command for `--cpp`, which gets the name of the model too.
fn script(directory: &TempDir, text: &str) -> String {
    let path = directory.path().join(format!("{}.sh", text.split(' ').next().unwrap_or_default()));
    fs::write(&path, text).unwrap();
    format!("sh {}", path.display())
}

fn timed_cases(directory: &TempDir) -> Vec<Case> {
    vec![
        Case::timed("reading", COUNTERS, "check").with("--cpp", script(directory, "exec sleep 300")),
        Case::timed("expanding macros", macros(39), "check").within("0.1"),
        Case::timed("translating", COUNTERS, "check").within("0.1").with("--ltl", long_formula()),
        Case::timed("compiling", many_transitions(), "check --engine compiled"),
        Case::timed("exploring", COUNTERS, "explore"),
        Case::timed("searching breadth-first", COUNTERS, "check --shortest --safety"),
        Case::timed("checking a formula", COUNTERS, "check").with("--ltl", "G F (a < 100)"),
        Case::timed("checking with `lasso`", UPWARDS, "check --algorithm lasso")
            .with("--ltl", "F G (a == 200)"),
        Case::timed("components", COUNTERS, "scc"),
        Case::timed("looking for the shortest", COUNTERS, "check --shortest --invariant a<60")
            .violated("a short run; there may be a shorter one (the time limit of"),
        Case::timed("looking for the shortest lasso", COUNTERS, "check --shortest")
            .with("--ltl", "F G (a != 70)")
            .violated("a short run; there may be a shorter one"),
        Case::timed("replaying", INDIVISIBLE, "check --safety").violated("the run is shown in part"),
    ]
}

fn memory_cases() -> Vec<Case> {
    vec![
        Case::small("reading", COUNTERS, "check --cpp yes", 64),
        Case::small("expanding macros", macros(39), "check", 20),
        Case::small("expanding inlines", inlines(39), "check", 20),
        Case::small("exploring", COUNTERS, "explore", 64),
        Case::small("searching breadth-first", COUNTERS, "check --shortest --safety", 64),
        Case::small("checking a formula", COUNTERS, "check", 64).with("--ltl", "G F (a < 100)"),
        Case::small("checking with `lasso`", UPWARDS, "check --algorithm lasso", 64)
            .with("--ltl", "F G (a == 200)"),
        Case::small("looking for the shortest", COUNTERS, "check --shortest --invariant a<60", 64)
            .violated("a short run; there may be a shorter one (the memory limit of 64.0 MiB was reached)"),
        Case::small("replaying", long_run(600_000, ""), "check --safety", 64)
            .violated("the run is shown in part"),
    ]
}

/// What became of a case.
struct Ended {
    exit: Option<i32>,
    output: String,
    took: Duration,
    /// The most memory that it had, where the system tells.
    peak: Option<u64>,
}

fn model_file(directory: &TempDir, text: &str) -> PathBuf {
    let path = directory.path().join("model.pml");
    fs::write(&path, text).unwrap();
    path
}

fn run(directory: &TempDir, case: &Case) -> Ended {
    let path = model_file(directory, &case.model);
    // Into a file: a pipe would have to be read meanwhile.
    let output = directory.path().join("output");
    let start = Instant::now();
    let mut child = Command::new(LARIAT)
        .args(&case.options)
        .arg(&path)
        .stdout(fs::File::create(&output).unwrap())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let (exit, peak) = watch(&mut child);
    Ended { exit, peak, took: start.elapsed(), output: fs::read_to_string(&output).unwrap() }
}

/// Waits for the end; the exit code, `None` if it had to be killed, and the most memory.
fn watch(child: &mut Child) -> (Option<i32>, Option<u64>) {
    let start = Instant::now();
    let mut peak = None;
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return (status.code(), peak);
        }
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
        peak = kilobytes.map(|kilobytes| kilobytes << 10).or(peak);
        if start.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            return (None, peak);
        }
        sleep(Duration::from_millis(3));
    }
}

fn judge(case: &Case, ended: &Ended) {
    let Case { phase, exit, said, .. } = case;
    let shown: String = ended.output.chars().rev().take(1500).collect::<Vec<_>>().into_iter().rev().collect();
    assert_eq!(ended.exit, Some(*exit), "{phase}: {shown}");
    assert!(ended.output.contains(said), "{phase}: {shown}");
    assert!(!ended.output.contains("holds"), "{phase}: {shown}");
}

#[test]
fn time_is_kept_in_every_phase() {
    let directory = TempDir::new().unwrap();
    for mut case in timed_cases(&directory) {
        let mut ended = run(&directory, &case);
        // The violation comes before the phase that is meant; a busy machine may need more time to find it.
        for seconds in ["1.5", "2.2", "3.3", "5", "7.5", "11", "16"] {
            if case.exit == 1 && !ended.output.contains(case.said) {
                case = case.within(seconds);
                ended = run(&directory, &case);
            }
        }
        judge(&case, &ended);
    }
}

#[test]
fn memory_is_kept_in_every_phase() {
    let directory = TempDir::new().unwrap();
    for case in memory_cases() {
        judge(&case, &run(&directory, &case));
    }
}

/// A short text that becomes a large model: all of it counts, and nothing is added for what nobody counts,
/// but for the program itself.
#[test]
fn a_text_keeps_the_budget() {
    let directory = TempDir::new().unwrap();
    for text in [macros(39), inlines(39)] {
        let case = Case::small("reading", text, "check", 100);
        let ended = run(&directory, &case);
        judge(&case, &ended);
        assert!(ended.peak.is_none_or(|peak| peak <= 132 * MIB), "{:?}", ended.peak);
    }
}

#[test]
#[ignore = "how exactly a limit is kept depends on what else the machine does"]
fn limits_are_kept_exactly() {
    let directory = TempDir::new().unwrap();
    let mut broken = Vec::new();
    for case in timed_cases(&directory).iter().chain(&memory_cases()) {
        let ended = run(&directory, case);
        judge(case, &ended);
        let Ended { took, peak, .. } = ended;
        let megabytes = peak.map_or("?".to_string(), |bytes| (bytes / MIB).to_string());
        println!("{}: {:.2} s, {megabytes} MiB", case.phase, took.as_secs_f64());
        let kept = match case.limit {
            Limit::Second => took <= 2 * SECOND + SECOND,
            Limit::Memory(most) => peak.is_none_or(|peak| peak <= most / 4 * 5 + 64 * MIB),
        };
        if !kept {
            broken.push(case.phase);
        }
    }
    assert!(broken.is_empty(), "{broken:?}");
}

/// The limit that the system sets on addresses: more is refused.
#[cfg(target_os = "linux")]
#[test]
fn a_refusal_of_memory_is_a_limit() {
    let directory = TempDir::new().unwrap();
    let path = model_file(&directory, COUNTERS);
    // With little more than the program itself, the system does not start it.
    let least = std::fs::metadata(LARIAT).unwrap().len() / 1024 + 5_400;
    for kilobytes in [least, 50_000, 100_000, 300_000] {
        for options in [
            "explore",
            "check --safety --shortest",
            "check --ltl G(a<100)",
            "check --engine compiled --safety",
        ] {
            let command =
                format!("ulimit -v {kilobytes}; exec {LARIAT} {options} --timeout 60 {}", path.display());
            // Brackets are nothing to the shell here.
            let command = command.replace("G(a<100)", "'G(a<100)'");
            let output = Command::new("sh").arg("-c").arg(&command).output().unwrap();
            let text = String::from_utf8_lossy(&output.stdout);
            assert_eq!(
                output.status.code(),
                Some(2),
                "{command}: {text} {}",
                String::from_utf8_lossy(&output.stderr)
            );
            assert!(text.contains("the system gives no more memory"), "{command}: {text}");
            assert!(text.contains("states stored"), "{command}: {text}");
        }
    }
}

/// Who writes to a pipe that is not read any more waits for its reader; a signal ends it, and the exit code
/// is still the verdict.
#[cfg(unix)]
#[test]
fn a_signal_ends_the_wait_for_a_reader() {
    use std::io::Read;
    let directory = TempDir::new().unwrap();
    let path = model_file(&directory, &long_run(60_000, ""));
    let mut child = Command::new(LARIAT)
        .args(["check", "--safety"])
        .arg(&path)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // It has begun to write; the pipe takes a small part of it.
    let mut reader = child.stdout.take().unwrap();
    reader.read_exact(&mut [0]).unwrap();
    let killed = Command::new("kill").args(["-s", "TERM", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    assert_eq!(watch(&mut child).0, Some(1));
    drop(reader);
}

/// Begins to run, and ends by this signal after so many milliseconds: more of them until its output is as it
/// should be, since nobody knows when a busy machine comes to the phase that is meant.
#[cfg(unix)]
fn signalled(options: &[&str], signal: &str, exit: i32, said: &[&str]) {
    let directory = TempDir::new().unwrap();
    let path = model_file(&directory, COUNTERS);
    for milliseconds in [500, 2000, 8000] {
        let child = Command::new(LARIAT)
            .args(options)
            .arg(&path)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        sleep(Duration::from_millis(milliseconds));
        let killed = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().unwrap();
        assert!(killed.success());
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        if output.status.code() == Some(exit) && said.iter().all(|said| text.contains(said)) {
            return;
        }
        println!("{signal} after {milliseconds} ms: {:?}\n{text}", output.status.code());
    }
    panic!("{options:?}, ended by {signal}: exit code {exit} and {said:?} were expected");
}

#[cfg(unix)]
#[test]
fn signals_end_a_search_with_a_report() {
    for signal in ["INT", "TERM", "HUP"] {
        signalled(&["explore", "--timeout", "60"], signal, 2, &["unknown: interrupted", "states stored"]);
    }
    // A run that was found is shown all the same.
    signalled(
        &["check", "--timeout", "60", "--shortest", "--invariant", "a<60"],
        "TERM",
        1,
        &["a short run; there may be a shorter one (interrupted)"],
    );
}

#[cfg(unix)]
#[test]
fn a_signal_ends_a_preprocessor() {
    let directory = TempDir::new().unwrap();
    let command = script(&directory, "exec sleep 300");
    signalled(&["check", "--cpp", &command], "TERM", 2, &["unknown: interrupted, while the preprocessor"]);
}

/// Nobody writes to the standard input, and nobody closes it.
#[test]
fn an_input_that_never_ends() {
    let mut child = Command::new(LARIAT)
        .args(["check", "--timeout", "1", "--format", "json", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let input = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    drop(input);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(2), "{report}");
    assert_eq!(
        (report["verdict"].as_str(), report["property"]["kind"].as_str()),
        (Some("unknown"), Some("none"))
    );
}

/// A disk that is full gives a message, a reader that has gone away nothing at all.
#[cfg(target_os = "linux")]
#[test]
fn writing_that_fails() {
    let directory = TempDir::new().unwrap();
    let path = model_file(&directory, &long_run(20_000, ""));
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = Command::new(LARIAT).arg("check").arg(&path).stdout(full).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("cannot write the result"), "{text}");
    let mut child = Command::new(LARIAT)
        .arg("check")
        .arg(&path)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.len()), (Some(1), 0));
}

/// What is not shown is said in JSON too.
#[test]
fn a_run_that_is_shown_in_part() {
    let directory = TempDir::new().unwrap();
    let path = model_file(&directory, &long_run(100_000, ""));
    let output = Command::new(LARIAT)
        .args(["check", "--safety", "--max-memory", "16M", "--format", "json"])
        .arg(&path)
        .output()
        .unwrap();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let run = &report["counterexample"];
    let shown = run["prefix"].as_array().unwrap().len() as u64;
    assert_eq!(report["verdict"], "violated");
    assert_eq!(shown + run["cut"]["not_shown"].as_u64().unwrap(), 200_002);
    assert_eq!(run["cut"]["replayed"], true);
    assert!(run["cut"]["reason"].as_str().unwrap().contains("memory limit"));
    assert!(run["final"]["variables"].to_string().contains("100000"), "the end of the run is known");
}
