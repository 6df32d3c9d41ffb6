//! Who checks models in Rust compiles no language and no compiler: this library stays small.

use std::collections::BTreeSet;
use std::process::Command;

/// So many packages, with this one, may be compiled for it.
const MOST_PACKAGES: usize = 25;

/// What the program `lariat` is made of, and this library is not; and what takes long to compile.
const LEFT_OUT: &[&str] = &[
    "lariat-automata",
    "lariat-checker",
    "lariat-cli",
    "lariat-compiled",
    "lariat-dve",
    "lariat-laboratory",
    "lariat-promela",
    "clap",
    "cranelift",
    "serde",
    "syn",
];

#[test]
fn few_packages_are_needed() {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--package", "lariat", "--edges", "normal", "--prefix", "none", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo can be run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let listed = String::from_utf8(output.stdout).expect("package names are text");
    let packages: BTreeSet<&str> = listed.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(packages.contains("lariat") && packages.contains("lariat-search"), "{packages:?}");
    assert!(packages.len() <= MOST_PACKAGES, "{} packages: {packages:?}", packages.len());
    for package in packages {
        let is_it = |left_out: &&str| package == *left_out || package.starts_with(&format!("{left_out}-"));
        assert!(!LEFT_OUT.iter().any(is_it), "{package}");
    }
}
