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
    assert_eq!(suite.configurations[1].options, "--algorithm hpy --degeneralise --engine compiled");
    assert_eq!(suite.configurations[4].options, "--algorithm ascc --precompute --engine compiled");
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

#[test]
fn what_is_wrong_is_said() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("table.csv"), "a,b\n1,2\n").unwrap();
    let table = "[[tables]]\nfile = \"../table.csv\"\nmodels = \"..\"\nmodel = \"a\"\nltl = \"formula\"\n";
    for (text, message) in [
        (format!("{LIMITS}{RUNS}"), "there are no cases"),
        (format!("{LIMITS}{MODEL}"), "missing field `runs`"),
        (
            format!("{LIMITS}[[runs]]\nalgorithms = [\"asc\"]\n{MODEL}"),
            "no algorithm is called `asc`; there are lasso, cvwy",
        ),
        (format!("{LIMITS}[[runs]]\nalgorithms = \"every\"\n{MODEL}"), "a list of names, or \"all\""),
        (
            format!("{LIMITS}[[runs]]\nalgorithms = [\"hpy\"]\nexcept = [\"hpy\"]\n{MODEL}"),
            "there is nothing to run",
        ),
        (format!("{LIMITS}[qualify]\nalgorithm = \"gv\"\nseconds = 1\n{RUNS}{MODEL}"), "`gv` is not among"),
        (format!("{}{RUNS}{MODEL}", LIMITS.replace("512M", "much")), "expected a number of bytes"),
        (format!("{}{RUNS}{MODEL}", LIMITS.replace("= 5", "= -5")), "-5 is no time for a run"),
        (format!("{LIMITS}{RUNS}{}", MODEL.replace("properties", "property")), "unknown field `property`"),
        (format!("{LIMITS}{RUNS}{}", MODEL.replace("\"p\"", "\"safety\"")), "nothing to compare"),
        (format!("{LIMITS}{RUNS}[[models]\n"), "TOML parse error at line 7, column"),
        (format!("{LIMITS}{RUNS}{table}"), "there is no column `formula`; there are a, b"),
        (format!("{LIMITS}{RUNS}{}", table.replace("table.csv", "other.csv")), "other.csv: No such file"),
    ] {
        let error = read(directory.path(), &text).map(|suite| suite.cases).unwrap_err().to_string();
        assert!(error.contains(message), "{message:?} expected in: {error}");
    }
    assert!(Suite::read(Path::new("nowhere.toml")).is_err());
}
