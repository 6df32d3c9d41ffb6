//! Checkpoints: a search that is stopped, or killed, and goes on comes to what it would have come to.

use crate::common::{model_file, models, project, verdict};
use lariat_checker::checkpoint::CheckpointHeader;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// What random choices are made of.
struct Random(u64);

impl Random {
    /// A number below this one.
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % end.max(1)
    }

    fn chosen<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len() as u64) as usize]
    }
}

/// In memory, where there is such a place: every checkpoint waits until it is on the disk.
fn directory() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

fn binary() -> Command {
    Command::new(env!("CARGO_BIN_EXE_lariat"))
}

fn run(directory: &Path, arguments: &[String]) -> Output {
    binary().current_dir(directory).args(arguments).output().unwrap()
}

/// The reports of an output, by property. Later ones replace those of the same property.
fn add_reports(output: &Output, reports: &mut BTreeMap<String, Value>) {
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let report: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("no report: {line}"));
        reports.insert(report["property"].to_string(), report);
    }
}

/// What must be the same: everything but times, memory, and which engine has come last.
fn comparable(reports: &BTreeMap<String, Value>) -> Vec<Value> {
    let strip = |report: &Value| {
        let mut report = report.clone();
        for key in ["seconds", "memory", "engine", "threads"] {
            report.as_object_mut().unwrap().remove(key);
        }
        // Room that lists have is memory.
        report.get_mut("stacks").and_then(Value::as_object_mut).map(|stacks| stacks.remove("bytes"));
        report
    };
    reports.values().map(strip).collect()
}

/// What is different, in short; nothing if nothing is.
fn differences(expected: &BTreeMap<String, Value>, found: &BTreeMap<String, Value>) -> Vec<String> {
    let (expected, found) = (comparable(expected), comparable(found));
    let mut differences = Vec::new();
    if expected.len() != found.len() {
        differences.push(format!("{} reports, not {}", found.len(), expected.len()));
    }
    for (expected, found) in expected.iter().zip(&found) {
        for (key, value) in expected.as_object().unwrap().iter().filter(|(key, value)| found[key] != **value)
        {
            differences.push(format!("{key}: {}, not {value}", found[key]));
        }
    }
    differences
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| word.to_string()).collect()
}

fn goes_on(output: &Output) -> bool {
    String::from_utf8_lossy(&output.stderr).contains("goes on")
}

/// The command without a checkpoint, and the same in pieces: each stores some more states than the one
/// before. A complaint, if they come to different ends. How many pieces there were.
fn compare_chain(
    directory: &Path,
    command: &[String],
    room: &Path,
    random: &mut Random,
) -> Result<usize, String> {
    const ALL: [&str; 2] = ["--max-states", "20000"];
    let plain = run(directory, &[command, &words(&ALL)].concat());
    let mut expected = BTreeMap::new();
    add_reports(&plain, &mut expected);
    let is_open = |report: &Value| {
        let reason = report["reason"].as_str().unwrap_or_default();
        report["verdict"] == "refused" || reason.contains(ALL[1]) || reason.contains("sequence")
    };
    if expected.values().any(is_open) {
        return Ok(0);
    }
    let most = expected.values().filter_map(|report| report["states"]["stored"].as_u64()).max().unwrap_or(0);
    let file = room.join("checkpoint").display().to_string();
    let before = room.join("before").display().to_string();
    let mut limit = 1 + random.below(most);
    let first = words(&["--checkpoint", &file, "--max-states", &limit.to_string()]);
    let mut output = run(directory, &[command, &first].concat());
    let mut found = BTreeMap::new();
    add_reports(&output, &mut found);
    let mut pieces = 1;
    while goes_on(&output) {
        pieces += 1;
        limit += 1 + random.below(most / 3);
        std::fs::copy(&file, &before).unwrap();
        output = run(directory, &words(&["resume", &file, "--max-states", &limit.to_string()]));
        if !goes_on(&output) {
            // The last piece: limits have a say in how short a run is made.
            output = run(directory, &[words(&["resume", &before]), words(&ALL)].concat());
        }
        add_reports(&output, &mut found);
        if pieces > 100 {
            return Err(format!("{command:?}: it goes on and on"));
        }
    }
    if pieces == 1 {
        return Ok(1);
    }
    let differences = differences(&expected, &found);
    if !differences.is_empty() || plain.status.code() != output.status.code() {
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!("{command:?}, {pieces} pieces: {error}\n{}", differences.join("\n")));
    }
    Ok(pieces)
}

/// A command about one of these models, with options that change the course of the search.
fn any_command(random: &mut Random, files: &[PathBuf]) -> Vec<String> {
    let file = &files[random.below(files.len() as u64) as usize];
    let check = random.below(3) > 0;
    let mut command = words(&[if check { "check" } else { "explore" }, &file.display().to_string()]);
    command.extend(words(&["--format", "json"]));
    if check {
        let checks: Vec<&str> =
            lariat_checker::ALGORITHMS.iter().filter(|row| row.resumes).map(|row| row.name).collect();
        let algorithm = if random.below(3) == 0 { "auto" } else { random.chosen(&checks) };
        command.extend(words(&["--algorithm", algorithm]));
        if random.below(4) == 0 {
            command.extend(words(&["--fair", random.chosen(&["weak", "strong", "unconditional"])]));
            if random.below(3) == 0 {
                command.extend(words(&["--fair-unit", "statement"]));
            }
        }
        let others: [&[&str]; 7] = [
            &[],
            &[],
            &["--shortest"],
            &["--keep-going"],
            &["--no-reduce"],
            &["--whole-run"],
            &["--verdict-only"],
        ];
        command.extend(words(random.chosen(&others)));
    } else if random.below(3) == 0 {
        command.push("--reduce".to_string());
    }
    let engines: [&[&str]; 4] =
        [&[], &["--engine", "compiled"], &["--engine", "interpreted"], &["--in-order"]];
    command.extend(words(random.chosen(&engines)));
    command
}

fn model_files() -> Vec<PathBuf> {
    let folders = ["models", "tests/regressions"].map(project);
    let files = |folder: &PathBuf| -> Vec<PathBuf> {
        models(folder).iter().map(|name| folder.join(model_file(folder, name))).collect()
    };
    folders.iter().flat_map(files).collect()
}

fn compare_chains(seed: u64, count: usize) {
    let mut random = Random(seed);
    let (room, files) = (directory(), model_files());
    let (mut complaints, mut pieces) = (Vec::new(), 0);
    for _ in 0..count {
        let command = any_command(&mut random, &files);
        match compare_chain(room.path(), &command, room.path(), &mut random) {
            Ok(more) => pieces += more,
            Err(complaint) => complaints.push(complaint),
        }
    }
    assert!(pieces > count, "{pieces} pieces in {count} searches");
    verdict(complaints);
}

#[test]
fn a_search_in_pieces_is_the_same_search() {
    compare_chains(1, 16);
}

/// The same, for some minutes.
#[test]
#[ignore]
fn many_searches_in_pieces_are_the_same_searches() {
    compare_chains(2, 3000);
}

/// The searches of a command in pieces, some times; complaints, if they are not the same searches, or were
/// not in pieces.
fn compare_some(room: &Path, command: &[String], random: &mut Random, times: usize) -> Vec<String> {
    let (mut complaints, mut pieces) = (Vec::new(), 0);
    for _ in 0..times {
        match compare_chain(room, command, room, random) {
            Ok(more) => pieces += more,
            Err(complaint) => complaints.push(complaint),
        }
    }
    if pieces <= times {
        complaints.push(format!("{command:?}: {pieces} pieces"));
    }
    complaints
}

/// Every check that goes on from a checkpoint does so: where nested searches begin at nearly every state and
/// find nothing, and where all states are one component.
#[test]
fn every_check_that_says_so_goes_on() {
    let room = directory();
    let up = "byte a, b; active proctype A() { do :: a < 9 -> a++ :: else -> break od }\n\
        active proctype B() { do :: b < 9 -> b++ :: a == 5 && b > 3 -> b-- :: else -> break od }\n";
    std::fs::write(room.path().join("up.pml"), up).unwrap();
    let round = "byte a, b; active proctype A() { do :: a = (a + 1) % 7 od }\n\
        active proctype B() { do :: b = (b + 1) % 7 od }\n";
    std::fs::write(room.path().join("round.pml"), round).unwrap();
    let mut random = Random(3);
    let mut complaints = Vec::new();
    for row in lariat_checker::ALGORITHMS {
        let (one, other) = match row.name {
            "reach" => ("G (a < 13)", "G (a + b < 12)"),
            "sd" => ("G F (a < 13)", "G F (a < 7)"),
            _ => ("F G (a == 9 || a == 5)", "!((G F a == 4) && (G F b == 5) && G F (a == 1 && b == 2))"),
        };
        for (model, formula) in [("up.pml", one), ("round.pml", other)] {
            let command =
                words(&["check", model, "--ltl", formula, "--algorithm", row.name, "--format", "json"]);
            if row.resumes {
                complaints.extend(compare_some(room.path(), &command, &mut random, 3));
                continue;
            }
            let output = run(room.path(), &[command, words(&["--checkpoint", "x"])].concat());
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(output.status.code() == Some(3) && text.contains("cannot be left"), "{text}");
        }
    }
    for options in [
        &["--safety", "--shortest"][..],
        &["--safety", "--max-depth", "7"],
        &["--safety", "--keep-going"],
        &["--safety", "--in-order", "--engine", "compiled"],
        &["--ltl", "F a == 6", "--fair", "weak"],
        &["--ltl", "F a == 6", "--fair", "strong"],
        &["--ltl", "F a == 6", "--fair", "weak", "--fair-unit", "statement", "--algorithm", "and"],
        &["--ltl", "G F a == 6", "--assume", "G F b == 3"],
        &["--ltl", "F G a != 6", "--assume", "F G b == 3"],
    ] {
        let command = [words(&["check", "round.pml", "--format", "json"]), words(options)].concat();
        complaints.extend(compare_some(room.path(), &command, &mut random, 2));
    }
    verdict(complaints);
}

/// Waits until there is a checkpoint, or the process has ended.
fn has_written(child: &mut Child, file: &Path) -> bool {
    let patience = Instant::now() + Duration::from_secs(60);
    while !file.exists() && Instant::now() < patience {
        if child.try_wait().unwrap().is_some() {
            return file.exists();
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    file.exists()
}

/// Lets a command write checkpoints all the time, and kills it at a random moment, again and again; what was
/// left goes on. How often it was killed.
fn compare_killed(command: &[String], seed: u64, kills: usize, most_millis: u64) -> usize {
    let room = directory();
    let mut random = Random(seed);
    let mut expected = BTreeMap::new();
    let plain = run(room.path(), command);
    add_reports(&plain, &mut expected);
    let file = room.path().join("checkpoint");
    let mut next = [command, &words(&["--checkpoint", "checkpoint", "--checkpoint-every", "0.01"])].concat();
    let mut killed = 0;
    let output = loop {
        if killed == kills {
            break run(room.path(), &words(&["resume", "checkpoint", "--checkpoint-every", "600"]));
        }
        let mut child = binary()
            .current_dir(room.path())
            .args(&next)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        if has_written(&mut child, &file) {
            std::thread::sleep(Duration::from_micros(1000 * random.below(most_millis) + random.below(1000)));
            next = words(&["resume", "checkpoint"]);
        }
        if child.try_wait().unwrap().is_some() {
            break child.wait_with_output().unwrap();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        killed += 1;
    };
    let mut found = BTreeMap::new();
    add_reports(&output, &mut found);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    let differences = differences(&expected, &found);
    assert!(differences.is_empty(), "{command:?} after {killed} kills: {error}{differences:?}");
    assert_eq!(plain.status.code(), output.status.code(), "{command:?} after {killed} kills: {error}");
    killed
}

fn killable(name: &str, options: &[&str]) -> Vec<String> {
    let file = project("models").join(name).display().to_string();
    let common = ["check", &file, "--format", "json", "--no-reduce", "--engine", "interpreted"];
    [words(&common), words(options)].concat()
}

const STRONG: &str = "(G F inside > 0) -> G F inside == 0";

#[test]
fn a_search_that_is_killed_goes_on() {
    let killed = compare_killed(&killable("lamport_fast_mutex.pml", &["--safety"]), 1, 2, 40)
        + compare_killed(&killable("lamport_fast_mutex.pml", &["--ltl", STRONG, "--in-order"]), 2, 2, 40);
    assert!(killed > 0, "it was too quick");
}

/// Many times, some of them while a checkpoint is written.
#[test]
#[ignore]
fn searches_that_are_killed_fifty_times_go_on() {
    let mut killed = 0;
    for seed in 0..2 {
        for options in [
            &["--safety"][..],
            &["--safety", "--shortest"],
            &["--safety", "--in-order"],
            &["--safety", "--keep-going"],
            &["--ltl", STRONG, "--algorithm", "ascc"],
            &["--ltl", STRONG, "--algorithm", "and"],
            &["--ltl", STRONG, "--fair", "strong"],
            &["--invariant", "inside < 2"],
        ] {
            killed += compare_killed(&killable("lamport_fast_mutex.pml", options), seed, 5, 120);
        }
    }
    assert!(killed >= 50, "killed {killed} times only");
}

/// A small checkpoint, and the directory that it is in.
fn small_checkpoint() -> (tempfile::TempDir, Vec<u8>) {
    let room = directory();
    std::fs::copy(project("models").join("peterson.pml"), room.path().join("m.pml")).unwrap();
    let output = run(
        room.path(),
        &words(&[
            "check",
            "m.pml",
            "--safety",
            "--checkpoint",
            "c",
            "--max-states",
            "20",
            "--format",
            "json",
        ]),
    );
    assert_eq!(output.status.code(), Some(2));
    let bytes = std::fs::read(room.path().join("c")).unwrap();
    (room, bytes)
}

#[test]
fn what_is_no_checkpoint_is_refused() {
    let (room, bytes) = small_checkpoint();
    let refused = |arguments: &[&str], says: &str| {
        let output = run(room.path(), &words(arguments));
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{arguments:?}: {error}");
        assert!(error.contains(says) && output.stdout.is_empty(), "{arguments:?}: {error}");
    };
    let write = |bytes: &[u8]| std::fs::write(room.path().join("x"), bytes).unwrap();
    refused(&["resume", "missing"], "cannot go on from missing");
    refused(&["resume", "m.pml"], "no checkpoint");
    refused(&["resume", "."], "cannot go on");
    write(&[]);
    refused(&["resume", "x"], "no checkpoint");
    let mut other = bytes.clone();
    other[8] += 1;
    write(&other);
    refused(&["resume", "x"], "form 4, and this program knows form 3");
    write(&bytes[..bytes.len() - 1]);
    refused(&["resume", "x"], "its end is missing");
    write(&[&bytes[..], &[0]].concat());
    refused(&["resume", "x"], "something follows its end");
    let at = bytes.len() / 2;
    let mut other = bytes.clone();
    other[at] ^= 8;
    write(&other);
    refused(&["resume", "x"], "damaged");
    // The model has changed.
    let model = std::fs::read_to_string(room.path().join("m.pml")).unwrap();
    std::fs::write(room.path().join("m.pml"), model.replace("turn", "Turn")).unwrap();
    refused(&["resume", "c"], "another model");
    std::fs::write(room.path().join("m.pml"), model + "\n/* said afterwards */\n").unwrap();
    refused(&["resume", "c"], "another model");
    for arguments in [
        &["check", "-", "--checkpoint", "y"][..],
        &["check", "m.pml", "--checkpoint-every", "soon", "--checkpoint", "y"],
        &["resume"],
    ] {
        assert_eq!(run(room.path(), &words(arguments)).status.code(), Some(3), "{arguments:?}");
    }
    for (options, says) in [
        (&["--store", "compact"][..], "a lossy store has none"),
        (&["--when-full", "bitstate"], "a lossy store has none"),
        (&["--profile-search"], "--profile-search"),
        (&["--ltl", "F x > 1", "--algorithm", "tau"], ""),
    ] {
        let command = [words(&["check", "m.pml", "--safety", "--checkpoint", "y"]), words(options)].concat();
        let output = run(room.path(), &command);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(3), "{options:?}: {text}");
        assert!(text.contains(says) && !room.path().join("y").exists(), "{options:?}: {text}");
    }
}

/// Files in which one bit is different. All bits of a shorter file are tried in
/// `search/src/checkpoint/file.rs`.
#[test]
fn no_bit_of_a_checkpoint_can_be_changed() {
    let (room, bytes) = small_checkpoint();
    let path = room.path().join("x");
    std::fs::write(&path, &bytes).unwrap();
    CheckpointHeader::open(&path).unwrap();
    let mut file = OpenOptions::new().write(true).open(&path).unwrap();
    let mut random = Random(5);
    for k in 0..1000 {
        let bit = random.below(bytes.len() as u64 * 8) as usize;
        let mut change = |byte: u8| {
            file.seek(SeekFrom::Start(bit as u64 / 8)).unwrap();
            file.write_all(&[byte]).unwrap();
        };
        change(bytes[bit / 8] ^ 1 << (bit % 8));
        assert!(CheckpointHeader::open(&path).is_err(), "bit {bit}");
        if k % 100 == 0 {
            let output = run(room.path(), &words(&["resume", "x"]));
            assert!(output.status.code() == Some(3) && output.stdout.is_empty(), "bit {bit}");
        }
        change(bytes[bit / 8]);
    }
    CheckpointHeader::open(&path).unwrap();
}

/// A checkpoint that cannot be written, or that would take the place of something else, is an error before
/// the search begins, and leaves everything as it was.
#[test]
fn where_nothing_can_be_written() {
    let (room, _) = small_checkpoint();
    let model = std::fs::read(room.path().join("m.pml")).unwrap();
    for (file, reason) in [
        ("missing/c", "missing/c: there is no such directory"),
        ("m.pml", "m.pml: the file that is there is no checkpoint, and would be lost"),
        (".", ".: what is there is no plain file"),
    ] {
        let command = ["check", "m.pml", "--safety", "--max-states", "20", "--checkpoint", file];
        let output = run(room.path(), &words(&command));
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(3) && output.stdout.is_empty(), "{error}");
        assert!(error.contains(reason), "{error}");
        assert_eq!(std::fs::read_dir(room.path()).unwrap().count(), 2);
    }
    assert_eq!(std::fs::read(room.path().join("m.pml")).unwrap(), model);
}

/// A checkpoint that becomes longer than a file may be is reported; the one before it stays.
#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_so_long() {
    let (room, before) = small_checkpoint();
    let mut model = String::from("byte x[40];\nactive proctype P() {\n  byte i;\n  do\n");
    (0..8).for_each(|i| model.push_str(&format!("  :: x[{i}] < 9 -> x[{i}]++\n")));
    model.push_str("  od\n}\n");
    std::fs::write(room.path().join("long.pml"), model).unwrap();
    let lariat = env!("CARGO_BIN_EXE_lariat");
    // In blocks of 512 or 1024 bytes.
    let script = format!(
        "ulimit -f 8; exec {lariat} explore long.pml --max-states 100000 --checkpoint c --timeout 60"
    );
    let output = Command::new("sh").args(["-c", &script]).current_dir(room.path()).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code().is_some(), "{:?}: {error}", output.status);
    assert!(error.contains("c: ") && error.to_lowercase().contains("file too large"), "{error}");
    assert_eq!(std::fs::read(room.path().join("c")).unwrap(), before);
}

/// A search that has run out of memory in `auto` goes on with more. States of several lengths are numbered
/// with gaps in one of its two stores, and without in the other.
#[test]
fn more_memory_for_auto() {
    let room = directory();
    let model = "byte a, b; proctype C() { skip }\n\
        active proctype A() { do :: a < 100 -> a++ :: else -> break od }\n\
        active proctype B() { do :: b < 40 && _nr_pr < 5 -> b++; run C() :: b == 40 -> break od }\n";
    std::fs::write(room.path().join("m.pml"), model).unwrap();
    let counts = |output: &std::process::Output| {
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        (report["verdict"].clone(), report["states"]["stored"].clone(), report["transitions"].clone())
    };
    let plain = ["explore", "m.pml", "--format", "json"];
    let first = [&plain[..], &["--store", "auto", "--checkpoint", "c"]].concat();
    let stopped = run(room.path(), &words(&[&first[..], &["--max-memory", "1M"]].concat()));
    assert_eq!(counts(&stopped).0, "unknown");
    let resumed = run(room.path(), &words(&["resume", "c", "--max-memory", "100M"]));
    assert_eq!(counts(&resumed), counts(&run(room.path(), &words(&plain))));
}

/// What was answered before is not asked again, but counts; what comes behind is asked.
#[test]
fn several_properties() {
    let room = directory();
    let model = "byte x; init { do :: x < 100 -> x++ :: else -> break od; assert(x == 100) }\n\
        ltl small { [] (x < 5) }\nltl end { <> (x == 100) }\nltl large { [] (x < 101) }\n";
    std::fs::write(room.path().join("m.pml"), model).unwrap();
    let plain = run(room.path(), &words(&["check", "m.pml", "--format", "json"]));
    let mut expected = BTreeMap::new();
    add_reports(&plain, &mut expected);
    assert_eq!(expected.len(), 4);
    let first = ["check", "m.pml", "--format", "json", "--checkpoint", "c", "--max-states", "50"];
    let mut output = run(room.path(), &words(&first));
    let (mut found, mut pieces) = (BTreeMap::new(), 1);
    add_reports(&output, &mut found);
    assert!(goes_on(&output) && found.len() == 1, "{found:?}");
    while goes_on(&output) && pieces < 100 {
        pieces += 1;
        let limit = (50 + 40 * pieces).to_string();
        output = run(room.path(), &words(&["resume", "c", "--max-states", &limit]));
        add_reports(&output, &mut found);
    }
    assert_eq!((output.status.code(), plain.status.code()), (Some(1), Some(1)));
    assert!(pieces > 2);
    let differences = differences(&expected, &found);
    assert!(differences.is_empty(), "{differences:?}");
}

/// Ctrl-C, and what a system sends that goes down.
#[cfg(unix)]
#[test]
fn a_signal_leaves_a_checkpoint() {
    for signal in ["INT", "TERM"] {
        let room = directory();
        let command = killable("bakery.pml", &["--safety", "--checkpoint", "c"]);
        let mut child = binary()
            .current_dir(room.path())
            .args(&command)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(300));
        assert!(child.try_wait().unwrap().is_none(), "it was too quick");
        let pid = child.id().to_string();
        assert!(Command::new("kill").args(["-s", signal, &pid]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(goes_on(&output) && room.path().join("c").exists());
        let output = run(room.path(), &words(&["resume", "c", "--timeout", "0.2"]));
        assert!(goes_on(&output), "{}", String::from_utf8_lossy(&output.stderr));
    }
}
