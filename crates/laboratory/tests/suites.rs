//! What a suite says, and what is said about one that is wrong.

use lariat_laboratory::{Suite, SuiteError};
use std::fs;
use std::path::Path;

const LIMITS: &str = "title = \"t\"\n[limits]\nseconds = 5\nmemory = \"512M\"\n";
const RUNS: &str = "[[runs]]\nalgorithms = [\"ascc\", \"hpy\"]\n";
const MODEL: &str = "[[models]]\nfile = \"../m.pml\"\nproperties = [\"p\"]\n";

fn read(directory: &Path, text: &str) -> Result<Suite, SuiteError> {
    fs::create_dir_all(directory.join("suites")).unwrap();
    let file = directory.join("suites/s.toml");
    fs::write(&file, text).unwrap();
    Suite::read(&file)
}

#[test]
fn configurations_and_cases_in_order() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(
        directory.path().join("table.csv"),
        "model,text,ltl,answer\nx/a.1.dve,first,\"G \"\"P.q\"\"\",holds\nx/b.dve,,F z,\nx/c.dve,empty,,holds\n",
    )
    .unwrap();
    let text = [
        LIMITS,
        "[qualify]\nalgorithm = \"hpy\"\nseconds = 0.5\n",
        RUNS,
        "[[runs]]\nalgorithms = [\"ascc\", \"tau\"]\nautomata = [\"degeneralised\", \"generalised\"]\nproducts = [\"precomputed\"]\n",
        "[[runs]]\nalgorithms = [\"hpy\"]\nengines = [\"compiled\", \"auto\"]\n",
        "[[models]]\nfile = \"../m.pml\"\ndefines = [\"N=3\"]\nproperties = [\"p\"]\n",
        "[[models.formulas]]\nltl = \"F it's\"\nexpect = \"violated\"\n",
        "[[tables]]\nfile = \"../table.csv\"\nmodels = \"..\"\nmodel = \"model\"\nltl = \"ltl\"\nname = \"text\"\nexpect = \"answer\"\nfinite-runs = \"stutter\"\n",
    ]
    .concat();
    let suite = read(directory.path(), &text).unwrap();
    let names: Vec<&str> = suite.configurations.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "ascc",
            "hpy",
            "ascc precomputed",
            "tau precomputed",
            "ascc generalised precomputed",
            "tau generalised precomputed",
            "hpy auto"
        ]
    );
    assert_eq!(
        suite.configurations[1].options,
        "--algorithm hpy --degeneralise --engine compiled --no-reduce"
    );
    assert_eq!(
        suite.configurations[4].options,
        "--algorithm ascc --precompute --engine compiled --no-reduce"
    );
    assert_eq!(suite.qualify.as_ref().map(|rule| rule.configuration), Some(1));
    assert_eq!(suite.memory, 512 << 20);
    let names: Vec<&str> = suite.cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(names, ["m (N=3): p", "m (N=3): F it's", "a.1: first", "b: F z"]);
    let expected: Vec<Option<bool>> = suite.cases.iter().map(|case| case.expected).collect();
    assert_eq!(expected, [None, Some(false), Some(true), None]);
    let model = directory.path().join("m.pml").display().to_string();
    assert_eq!(suite.cases[0].typed_arguments(), format!("{model} -DN=3 --property p"));
    assert_eq!(suite.cases[1].typed_arguments(), format!("{model} -DN=3 --ltl 'F it'\\''s'"));
    let table_case = suite.cases[2].typed_arguments();
    assert!(table_case.ends_with("x/a.1.dve --ltl 'G \"P.q\"' --finite-runs stutter"), "{table_case}");
}

/// What is said about a suite, with the line that it speaks of and a caret.
/// Several threads only where an algorithm takes them, each number a configuration of its own.
#[test]
fn threads_are_for_those_who_take_them() {
    let directory = tempfile::tempdir().unwrap();
    let runs = "[[runs]]\nalgorithms = [\"csd\", \"sd\"]\nthreads = [1, 2]\n";
    let suite = read(directory.path(), &format!("{LIMITS}{runs}{MODEL}")).unwrap();
    let configurations: Vec<(&str, usize, &str)> = suite
        .configurations
        .iter()
        .map(|one| (one.name.as_str(), one.threads, one.options.as_str()))
        .collect();
    let options = |more: &str| format!("{more} --no-reduce");
    assert_eq!(
        configurations,
        [
            (
                "csd",
                1,
                &*options("--algorithm csd --degeneralise --engine compiled --threads 1 --threads-after 0")
            ),
            (
                "csd 2 threads",
                2,
                &*options("--algorithm csd --degeneralise --engine compiled --threads 2 --threads-after 0")
            ),
            ("sd", 1, &*options("--algorithm sd --degeneralise --engine compiled")),
        ]
    );
}

fn refusal(directory: &Path, text: &str) -> String {
    read(directory, text).map(|suite| suite.cases).unwrap_err().to_string()
}

#[test]
fn what_is_wrong_is_said() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("table.csv"), "a,b,b\n1,2,3\n").unwrap();
    fs::write(directory.path().join("empty.csv"), "a,b\n").unwrap();
    let table = "[[tables]]\nfile = \"../table.csv\"\nmodels = \"..\"\nmodel = \"a\"\nltl = \"formula\"\n";
    let runs = |line: &str| format!("{LIMITS}[[runs]]\n{line}\n{MODEL}");
    let formula = |line: &str| format!("{LIMITS}{RUNS}{MODEL}[[models.formulas]]\n{line}\n");
    for (text, messages) in [
        (format!("{LIMITS}{RUNS}"), &["there are no cases", "s.toml:1:1", "[[models]] with"][..]),
        (format!("{LIMITS}{MODEL}"), &["the key `runs` is missing", "docs/compare.md"]),
        (
            runs("algorithms = [\"hpy\"]\nthreads = [2]"),
            &["no algorithm of this block takes several threads", "s.toml:", "`csd`, `cndfs`, `ufscc`"],
        ),
        (
            runs("algorithms = [\"ufscc\", \"hpy\"]\nthreads = [1, 0, 28, 29]"),
            &["0 is no number of threads", "29 is no number of threads", "expected a number from 1 to 28"],
        ),
        (
            runs("algorithms = [\"cndfs\"]\nproducts = [\"precomputed\"]"),
            &["`cndfs`, which takes several threads, computes the product as it goes"],
        ),
        (
            runs("algorithms = [\"hpy\", \"asc\"]"),
            &[
                "no algorithm is called `asc`",
                "s.toml:6:22",
                "did you mean `ascc`? There are `lasso`, `cvwy`",
            ],
        ),
        (runs("algorithms = \"every\""), &["s.toml:6:14", "a list of names, or \"all\""]),
        (runs("algorithms = 3"), &["s.toml:6:14", "a list of names, or \"all\""]),
        (runs("algorithms = []"), &["s.toml:6:14", "there is nothing to run"]),
        (runs("algorithms = \"all\"\nautomata = []"), &["s.toml:7:12", "there is nothing to run"]),
        (runs("algorithms = \"all\"\nengines = [\"compild\"]"), &["s.toml:7:12", "did you mean `compiled`?"]),
        (
            runs("algorithms = [\"hpy\"]\nexcept = [\"hpy\"]"),
            &["s.toml:6:14", "------- here", "nothing to run"],
        ),
        (runs("algorithms = [\"hpy\"]\nexcept = [\"hpi\"]"), &["s.toml:7:11", "did you mean `hpy`?"]),
        (
            format!("{LIMITS}[qualify]\nalgorithm = \"gv\"\nseconds = 1\n{RUNS}{MODEL}"),
            &["s.toml:6:13", "`gv` is not among", "these are `ascc`, `hpy`"],
        ),
        (
            format!("{}{RUNS}{MODEL}", LIMITS.replace("512M", "much")),
            &["s.toml:4:10", "expected a number of bytes"],
        ),
        (format!("{}{RUNS}{MODEL}", LIMITS.replace("512M", "0")), &["s.toml:4:10", "no run can do without"]),
        (
            format!("{}{RUNS}{MODEL}", LIMITS.replace("= 5", "= -5")),
            &["s.toml:3:11", "-5 is no time for a run"],
        ),
        (format!("{}{RUNS}{MODEL}", LIMITS.replace("= 5", "= 1.7e19")), &["s.toml:3:11", "at most a year"]),
        (
            format!("{}{RUNS}{MODEL}", LIMITS.replace("= 5", "= nan")),
            &["s.toml:3:11", "is no time for a run"],
        ),
        (
            format!("{LIMITS}{RUNS}{}", MODEL.replace("properties", "propertys")),
            &[
                "there is no key `propertys` here",
                "s.toml:9:1",
                "did you mean `properties`? The keys are `file`, `defines`",
            ],
        ),
        (
            format!("{LIMITS}{RUNS}{}", MODEL.replace("\"p\"", "\"safety\"")),
            &["s.toml:9:15", "nothing to compare"],
        ),
        (
            format!("{LIMITS}{RUNS}[[models]]\nfile = \"m.pml\"\n"),
            &["s.toml:8:8", "nothing of this model is checked"],
        ),
        (format!("{LIMITS}{RUNS}{MODEL}defines = [\"\"]\n"), &["s.toml:10:12", "\"NAME=VALUE\""]),
        (formula("ltl = \" \""), &["s.toml:11:7", "there is no formula"]),
        (formula("ltl = \"F p\"\nexpect = \"violatd\""), &["s.toml:12:10", "did you mean `violated`?"]),
        (
            formula(
                "ltl = \"F p\"\nexpect = \"holds\"\n[[models.formulas]]\nltl = \"F p\"\nexpect = \"violated\"",
            ),
            &["s.toml:14:7", "there twice, and two things are expected", "----- the first"],
        ),
        (format!("{LIMITS}{RUNS}[[models]\n"), &["s.toml:7:10", "expected `]`"]),
        (format!("{LIMITS}{RUNS}{table}"), &["s.toml:11:7", "has no column `formula`", "there are `a`, `b`"]),
        (format!("{LIMITS}{RUNS}{}", table.replace("formula", "b")), &["s.toml:11:7", "several columns `b`"]),
        (
            format!("{LIMITS}{RUNS}{}", table.replace("table.csv", "other.csv")),
            &["s.toml:8:8", "other.csv: No such file"],
        ),
        (
            format!("{LIMITS}{RUNS}{}", table.replace("table.csv", "empty.csv").replace("formula", "b")),
            &["s.toml:8:8", "the table has no rows"],
        ),
        // All of them are said.
        (runs("algorithms = [\"asc\", \"hpx\"]").replace("= 5", "= 0"), &["0 is no time", "`asc`", "`hpx`"]),
    ] {
        let error = refusal(directory.path(), &text);
        for message in messages {
            assert!(error.contains(message), "{message:?} expected in: {error}\n{text}");
        }
    }
    assert!(Suite::read(Path::new("nowhere.toml")).is_err());
    assert!(Suite::read(directory.path()).is_err());
}

#[test]
fn a_row_says_what_is_expected_or_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let table =
        "[[tables]]\nfile = \"../t.csv\"\nmodels = \"..\"\nmodel = \"m\"\nltl = \"f\"\nexpect = \"e\"\n";
    let text = format!("{LIMITS}{RUNS}{table}");
    let with = |rows: &str| fs::write(directory.path().join("t.csv"), format!("m,f,e\n{rows}")).unwrap();

    with("m.pml,G x,holds\nm.pml,F violatd,violatd\n\nm.pml,F y,yes\n,F z,\nm.pml,F z\n");
    let error = refusal(directory.path(), &text);
    for message in [
        "`violatd` in the column `e` is no verdict",
        "t.csv:3:17",
        "did you mean `violated`? A row may say nothing, or one of `holds`, `violated`",
        "`yes` in the column `e` is no verdict",
        "t.csv:5:11",
        "a row may say nothing, or one of `holds`, `violated`",
        "the row names no model",
        "t.csv:6:1",
        "the row has 2 fields, the header 3",
        "t.csv:7:1",
    ] {
        assert!(error.contains(message), "{message:?} expected in: {error}");
    }

    // Rows without a formula are left out, and that is said.
    with("m.pml,G x,holds\nm.pml,,holds\nm.pml,  ,\n");
    let suite = read(directory.path(), &text).unwrap();
    assert_eq!(suite.cases.len(), 1);
    let said = suite.warnings.to_string();
    assert!(said.starts_with("warning: 2 rows without a formula are left out: lines 3, 4\n"), "{said}");
    assert!(said.contains("t.csv:3:1"), "{said}");

    // Names with line breaks and quotes are names.
    with("\"m\nn.pml\",\"F \"\"P.q\"\"\",violated\n");
    let suite = read(directory.path(), &text).unwrap();
    assert_eq!(suite.cases[0].name, "m\nn: F \"P.q\"");
}

#[test]
fn a_case_has_a_name_of_its_own_and_is_there_once() {
    let directory = tempfile::tempdir().unwrap();
    let model =
        |file: &str, rest: &str| format!("[[models]]\nfile = \"{file}\"\nproperties = [\"p\"]\n{rest}");
    let text = [
        LIMITS,
        RUNS,
        &model("a/m.pml", "[[models.formulas]]\nname = \"q\"\nltl = \"F x\"\n[[models.formulas]]\nname = \"q\"\nltl = \"F y\"\n"),
        &model("b/m.pml", ""),
        &model("b/m.pml", "finite-runs = \"stutter\"\n"),
        &model("b/../b/m.pml", ""),
    ]
    .concat();
    let suite = read(directory.path(), &text).unwrap();
    let start = directory.path().join("suites").display().to_string();
    let names: Vec<String> = suite.cases.iter().map(|case| case.name.replace(&start, "…")).collect();
    assert_eq!(
        names,
        [
            "…/a/m.pml: p",
            "…/a/m.pml: q: F x",
            "…/a/m.pml: q: F y",
            "…/b/m.pml: p (4)",
            "…/b/m.pml: p (finite runs stutter)"
        ]
    );
    let said = suite.warnings.to_string();
    assert!(said.starts_with("warning: the case `m: p` is there twice; it is run once"), "{said}");
}

#[test]
fn what_begins_with_a_dash_is_no_option() {
    let directory = tempfile::tempdir().unwrap();
    let text = format!(
        "{LIMITS}{RUNS}[[models]]\nfile = \"-m.pml\"\nproperties = [\"-p\"]\n[[models.formulas]]\nltl = \"-x == 1\"\n"
    );
    let file = directory.path().join("s.toml");
    fs::write(&file, text).unwrap();
    let mut suite = Suite::read(&file).unwrap();
    for case in &mut suite.cases {
        case.model = case.model.file_name().unwrap().into();
    }
    assert_eq!(suite.cases[0].typed_arguments(), "./-m.pml --property=-p");
    assert_eq!(suite.cases[1].typed_arguments(), "./-m.pml '--ltl=-x == 1'");
}

#[test]
fn models_are_looked_for_before_anything_runs() {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("d.pml")).unwrap();
    fs::write(directory.path().join("m.pml"), "").unwrap();
    let text =
        [LIMITS, RUNS, MODEL, &MODEL.replace("m.pml", "n.pml"), &MODEL.replace("m.pml", "d.pml")].concat();
    let error = read(directory.path(), &text).unwrap().look_for_models().unwrap_err().to_string();
    for message in ["n.pml\": No such file", "s.toml:11:8", "d.pml\": it is a directory", "s.toml:14:8"] {
        assert!(error.contains(message), "{message:?} expected in: {error}");
    }
    assert!(!error.contains("m.pml\""), "{error}");
}

/// The keys of `docs/compare.md`, each with its block, its name, and whether it must be there.
fn documented() -> Vec<(String, String, bool)> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/compare.md");
    let text = fs::read_to_string(file).unwrap();
    let table = text.lines().skip_while(|line| !line.starts_with("| block | key |")).skip(2);
    let mut block = String::new();
    let mut keys = Vec::new();
    for line in table.take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if !cells[1].is_empty() {
            block = cells[1].replace('`', "");
        }
        assert_eq!(cells.len(), 7, "{line}");
        keys.push((block.clone(), cells[2].replace('`', ""), cells[3] == "mandatory"));
    }
    keys
}

/// A suite with every key. Each line stands alone, so that one can be left out.
const EVERYTHING: &str = r#"title = "t"
[limits]
seconds = 5
memory = "512M"
[qualify]
algorithm = "hpy"
seconds = 1
[[runs]]
algorithms = "all"
except = ["lasso"]
automata = ["degeneralised", "generalised"]
engines = ["compiled"]
products = ["on-the-fly"]
[[models]]
file = "m.pml"
defines = ["N=3"]
finite-runs = "stutter"
properties = ["p"]
[[models.formulas]]
ltl = "F x"
name = "q"
expect = "holds"
[[tables]]
file = "../t.csv"
models = "."
model = "m"
ltl = "f"
name = "n"
expect = "e"
finite-runs = "ignore"
"#;

#[test]
fn the_documentation_has_every_key_and_says_which_must_be_there() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("t.csv"), "m,f,n,e\nm.pml,F y,r,violated\n").unwrap();
    assert_eq!(read(directory.path(), EVERYTHING).unwrap().cases.len(), 3);
    let keys = documented();
    let blocks: Vec<&str> = EVERYTHING.lines().filter(|line| line.starts_with('[')).collect();
    for block in ["", "[limits]", "[qualify]", "[[runs]]", "[[models]]", "[[models.formulas]]", "[[tables]]"]
    {
        assert!(block.is_empty() || blocks.contains(&block));
        let documented: Vec<&(String, String, bool)> = keys.iter().filter(|key| key.0 == block).collect();
        // What the parser knows: it says so, where a key is none of them.
        let unknown = match block {
            "" => format!("zzzzzzzzz = 1\n{EVERYTHING}"),
            _ => EVERYTHING.replace(block, &format!("{block}\nzzzzzzzzz = 1")),
        };
        let said = refusal(directory.path(), &unknown);
        let (_, known) = said.split_once("the keys are ").unwrap_or_else(|| panic!("{block}: {said}"));
        let mut known: Vec<&str> = known.split('`').skip(1).step_by(2).collect();
        // Blocks within it have rows of their own.
        let is_block = |name: &&str| {
            keys.iter()
                .any(|key| key.0.trim_matches(['[', ']']).rsplit('.').next() == Some(name) && key.0 != block)
        };
        known.retain(|name| !(is_block(name) && matches!(block, "" | "[[models]]")));
        known.sort_unstable();
        let mut names: Vec<&str> = documented.iter().map(|key| key.1.as_str()).collect();
        names.sort_unstable();
        assert_eq!(names, known, "the keys of `{block}`");
        // Without it, the suite is refused exactly if it must be there.
        let mut inside = block.is_empty();
        for (number, line) in EVERYTHING.lines().enumerate() {
            if line.starts_with('[') {
                inside = line == block;
                continue;
            }
            let Some(key) = documented.iter().find(|key| inside && line.starts_with(&format!("{} =", key.1)))
            else {
                continue;
            };
            let rest: Vec<&str> =
                EVERYTHING.lines().enumerate().filter(|(n, _)| *n != number).map(|(_, l)| l).collect();
            let result = read(directory.path(), &rest.join("\n"));
            assert_eq!(result.is_err(), key.2, "`{block}` without `{}`", key.1);
        }
    }
    // Whole blocks.
    for (block, mandatory) in
        [("[limits]", true), ("[qualify]", false), ("[[runs]]", true), ("[[tables]]", false)]
    {
        let mut kept = true;
        let rest = EVERYTHING.lines().filter(|line| {
            if line.starts_with('[') {
                kept = *line != block;
            }
            kept
        });
        let result = read(directory.path(), &rest.collect::<Vec<_>>().join("\n"));
        assert_eq!(result.is_err(), mandatory, "without {block}");
    }
}

/// Whatever a suite and its table look like, they are read or refused.
#[test]
fn a_suite_that_was_mutated_is_refused_or_read() {
    let directory = tempfile::tempdir().unwrap();
    let table = "m,f,n,e\nm.pml,F y,r,violated\n\"a \"\"b\"\".dve\",G \u{1f600},,\n,,,\nx,,y,\n";
    let pieces: [&[u8]; 16] = [
        b"\"",
        b"'",
        b"[",
        b"]]",
        b"\n",
        b"\r",
        b",",
        b"=",
        b"#",
        b"\xff",
        "\u{1f600}".as_bytes(),
        b"1e999",
        b"\"\"\"",
        b"{",
        b"\\u0000",
        b"",
    ];
    let mut seed = 16u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % below
    };
    fs::create_dir(directory.path().join("suites")).unwrap();
    let (mut read_ones, mut refused) = (0, 0);
    for _ in 0..2000 {
        let mut texts = [EVERYTHING.as_bytes().to_vec(), table.as_bytes().to_vec()];
        for _ in 0..=random(3) {
            let text = &mut texts[random(2)];
            let from = random(text.len());
            let to = (from + random(4)).min(text.len());
            text.splice(from..to, pieces[random(pieces.len())].iter().copied());
        }
        for (file, text) in ["suites/s.toml", "t.csv"].iter().zip(&texts) {
            let file = directory.path().join(file);
            // Some file systems take long to write over a file.
            let _ = fs::remove_file(&file);
            fs::write(file, text).unwrap();
        }
        match Suite::read(&directory.path().join("suites/s.toml")) {
            Ok(suite) => {
                read_ones += 1;
                assert!(!suite.cases.is_empty() && !suite.configurations.is_empty());
                assert!(!suite.look_for_models().unwrap_err().to_string().is_empty());
            }
            Err(error) => {
                refused += 1;
                assert!(!error.to_string().is_empty());
            }
        }
    }
    assert!(read_ones > 50 && refused > 500, "{read_ones} {refused}");
}
