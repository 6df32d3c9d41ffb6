//! Every option once, and what is wrong with a command line.

use super::*;

fn understood(line: &str) -> SpinCommand {
    let words: Vec<String> = line.split_whitespace().map(String::from).collect();
    parse(&words).unwrap_or_else(|reason| panic!("{line}: {reason}"))
}

fn refused(line: &str) -> String {
    let words: Vec<String> = line.split_whitespace().map(String::from).collect();
    match parse(&words) {
        Ok(command) => panic!("{line}: {command:?}"),
        Err(reason) => reason,
    }
}

#[test]
fn what_is_to_be_done() {
    assert_eq!(understood("m.pml").task, SpinTask::Simulate);
    assert_eq!(understood("-a m.pml").task, SpinTask::Generate);
    assert_eq!(understood("-run m.pml").task, SpinTask::Verify);
    assert_eq!(understood("-search -a m.pml").task, SpinTask::Verify);
    assert_eq!(understood("-a -run -a m.pml").task, SpinTask::Verify);
    let beside = |number| SpinTask::Follow(TrailFile::BesideModel(number));
    assert_eq!(understood("-t -p m.pml").task, beside(None));
    assert_eq!(understood("-t3 m.pml").task, beside(Some(3)));
    assert_eq!(understood("-replay m.pml").task, beside(None));
    assert_eq!(understood("-run -r m.pml").task, beside(None));
    assert_eq!(understood("-run -C m.pml").task, beside(None));
    assert_eq!(understood("-k f.trail m.pml").task, SpinTask::Follow(TrailFile::Named("f.trail".into())));
    assert_eq!(understood("-t -k f.trail m.pml").task, SpinTask::Follow(TrailFile::Named("f.trail".into())));
    assert_eq!(understood("-f []p").task, SpinTask::Translate(Formula::Given("[]p".to_string())));
    assert_eq!(understood("-F file").task, SpinTask::Translate(Formula::InFile("file".into())));
    assert_eq!(understood("-f []p -run m.pml").task, SpinTask::Verify);
    assert_eq!(understood("-V").task, SpinTask::Version);
    assert!(understood("-run --spin-exit-codes m.pml").spin_exit_codes);
}

#[test]
fn of_the_simulator() {
    let command = understood("-p -g -l -s -r -c -b -B -T -i -n7 -u100 -j5 -DN=3 -P/bin/cpp m.pml");
    let print = &command.print;
    assert!(print.statements && print.globals && print.locals && print.sends && print.receives);
    assert!(print.columns && !print.printed && !print.last_state && !print.indented && print.from == 5);
    assert!(command.interactive);
    assert_eq!((command.seed, command.steps), (Some(7), Some(100)));
    assert_eq!(understood("-n 7 m.pml").seed, Some(7));
    assert_eq!(command.read, ["-DN=3", "--cpp", "/bin/cpp"]);
    assert_eq!(understood("-N claim m.pml").check, ["--claim", "claim"]);
    assert!(command.ignored.is_empty());
}

#[test]
fn of_the_verifier() {
    let command = understood("-run -a -l -safety -ltl p -noclaim -noreduce -A -E -e -n -x -c0 -tsuf m.pml");
    assert!(command.acceptance && command.progress && command.safety && command.no_claim);
    assert!(command.no_reduction && command.ignore_assertions && command.ignore_ends && command.all_trails);
    assert!(command.no_unreached && command.keep_trail);
    assert_eq!((command.claim.as_deref(), command.errors, &command.suffix[..]), (Some("p"), 0, "suf"));
    for (line, words) in [
        ("-run -f m.pml", &["--fair", "weak"][..]),
        ("-run -m10000 m.pml", &["--max-depth", "10000"]),
        ("-run -m 10000 m.pml", &["--max-depth", "10000"]),
        ("-run -i m.pml", &["--shortest"]),
        ("-run -I m.pml", &["--shortest"]),
        ("-run -bfs m.pml", &["--shortest"]),
        ("-run -bitstate -k5 m.pml", &["--store", "bitstate", "--bits-per-state", "5"]),
        ("-run -bit m.pml", &["--store", "bitstate"]),
        ("-run -hc m.pml", &["--store", "compact"]),
        ("-run -hc3 m.pml", &["--store", "compact"]),
        ("-run -Q2 m.pml", &["--timeout", "2m"]),
        ("-run -DMEMLIM=512 m.pml", &["--max-memory", "512M"]),
        ("-run -DBITSTATE m.pml", &["--store", "bitstate"]),
        ("-run -DHC4 m.pml", &["--store", "compact"]),
        ("-run -DBFS m.pml", &["--shortest"]),
        ("-run -DREACH m.pml", &["--shortest"]),
    ] {
        assert_eq!(understood(line).check, words, "{line}");
    }
    assert!(understood("-run -DNOREDUCE m.pml").no_reduction);
    assert!(understood("-run -DSAFETY m.pml").safety);
    assert!(understood("-run -DNOCLAIM m.pml").no_claim);
    assert!(understood("-run -DNP -l m.pml").progress);
    assert_eq!(understood("-run -N p m.pml").claim.as_deref(), Some("p"));
    assert_eq!(understood("-run -c5 m.pml").errors, 5);
}

#[test]
fn what_has_no_meaning_is_noted() {
    for (word, _) in IDLE_IN_SPIN {
        assert_eq!(understood(&format!("{word} m.pml")).ignored.len(), 1, "{word}");
    }
    assert_eq!(understood("-q3 m.pml").ignored.len(), 1);
    for (word, _) in IDLE_IN_PAN {
        assert_eq!(understood(&format!("-run {word} m.pml")).ignored.len(), 1, "{word}");
    }
    for word in ["-w28", "-h3", "-O2", "-RS5", "-p_rotate2", "-swarm4", "-biterate", "-DCOLLAPSE", "-DMINE=1"]
    {
        assert_eq!(understood(&format!("-run {word} m.pml")).ignored.len(), 1, "{word}");
    }
}

#[test]
fn what_is_wrong_is_said() {
    for (line, part) in [
        ("-run", "no model"),
        ("-p", "no model"),
        ("a.pml b.pml", "two models"),
        ("-y m.pml", "no option of Spin"),
        ("-run -y m.pml", "no option of Spin's verifiers"),
        ("-nx m.pml", "a number"),
        ("-run -mx m.pml", "a number"),
        ("-run -ltl", "the name of a formula"),
        ("-k", "the file of a trail"),
        ("-m m.pml", "would change what the model means"),
        ("-O m.pml", "would change what the model means"),
        ("-J m.pml", "would change what the model means"),
        ("-o6 m.pml", "would change what the model means"),
        ("-run -q m.pml", "would change what the model means"),
        ("-run -J m.pml", "would change what the model means"),
        ("-e m.pml", "not there"),
        ("-pp m.pml", "not there"),
        ("-Ex m.pml", "another preprocessor"),
        ("-run -link a.c m.pml", "C code"),
        ("--run m.pml", "no option"),
    ] {
        assert!(refused(line).contains(part), "{line}: {}", refused(line));
    }
}
