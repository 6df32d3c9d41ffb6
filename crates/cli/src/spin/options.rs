//! The command lines of `spin` and of the verifiers that it makes.
//!
//! Words before `-run` (or `-search`) are Spin's; those behind it are the verifier's, or say how it is to be
//! compiled; the model comes last. The same letter may mean two things, one on each side: `-a`, `-f`, `-l`,
//! `-m`, `-n`, `-N`, `-c`, `-r`.
//!
//! What is understood becomes an option of `lariat check` where there is one ([`SpinCommand::check`]), so
//! that the meaning of limits and stores stays in one place. What has no meaning here is noted, with the
//! reason, to be said once. What would change the meaning of the model, and is not there, is an error: a
//! wrong verdict is worse than none.

use lariat_checker::render::spin_run::SpinPrint;
use std::path::PathBuf;

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpinTask {
    /// A random run, or one that the user chooses.
    Simulate,
    /// Follow a trail: this file, or the one with this number beside the model.
    Follow(TrailFile),
    /// Check the model, as a verifier would.
    Verify,
    /// `-a` alone: Spin would write a verifier.
    Generate,
    /// `-f`, `-F`: print the never claim of a formula.
    Translate(Formula),
    /// `-V`
    Version,
}

/// Which trail is followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrailFile {
    /// `MODEL.trail`, or `MODELn.trail`.
    BesideModel(Option<u32>),
    /// `-k FILE`
    Named(PathBuf),
}

/// A formula of the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    /// `-f`
    Given(String),
    /// `-F`
    InFile(PathBuf),
}

/// A command line, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpinCommand {
    pub task: SpinTask,
    pub model: Option<PathBuf>,
    /// What the model is read with, as options of `lariat`.
    pub read: Vec<String>,
    /// How a search runs, as options of `lariat check`.
    pub check: Vec<String>,
    pub print: SpinPrint,
    pub interactive: bool,
    /// `-nN` of Spin.
    pub seed: Option<u64>,
    /// `-uN`
    pub steps: Option<u64>,
    /// `-f` or `-F` beside a model: a claim.
    pub formula: Option<Formula>,
    /// `-ltl NAME`, or `-N NAME` of a verifier.
    pub claim: Option<String>,
    pub no_claim: bool,
    /// `-a` of a verifier.
    pub acceptance: bool,
    /// `-l` of a verifier.
    pub progress: bool,
    pub safety: bool,
    pub ignore_assertions: bool,
    pub ignore_ends: bool,
    /// `-cN`: after so many errors the search ends; 0: after none.
    pub errors: u64,
    /// `-e`
    pub all_trails: bool,
    /// `-n` of a verifier: no list of unreached statements.
    pub no_unreached: bool,
    pub no_reduction: bool,
    /// `-tSUFFIX` of a verifier.
    pub suffix: String,
    /// `-x`
    pub keep_trail: bool,
    pub spin_exit_codes: bool,
    /// Words without a meaning here, and why.
    pub ignored: Vec<(String, &'static str)>,
}

impl Default for SpinCommand {
    fn default() -> SpinCommand {
        SpinCommand {
            task: SpinTask::Simulate,
            model: None,
            read: Vec::new(),
            check: Vec::new(),
            print: SpinPrint::default(),
            interactive: false,
            seed: None,
            steps: None,
            formula: None,
            claim: None,
            no_claim: false,
            acceptance: false,
            progress: false,
            safety: false,
            ignore_assertions: false,
            ignore_ends: false,
            errors: 1,
            all_trails: false,
            no_unreached: false,
            no_reduction: false,
            suffix: "trail".to_string(),
            keep_trail: false,
            spin_exit_codes: false,
            ignored: Vec::new(),
        }
    }
}

/// Words of Spin that have no meaning here.
const IDLE_IN_SPIN: &[(&str, &str)] = &[
    ("-A", "nothing is sliced away"),
    ("-C", "`lariat info MODEL` shows the channels"),
    ("-d", "`lariat info MODEL` shows the variables"),
    ("-h", "the seed of a random run is shown with `lariat simulate`"),
    ("-I", "`lariat info --ir MODEL` shows what becomes of a model"),
    ("-L", "claims are not multiplied"),
    ("-o1", "dead variables are reset if `lariat check --reset-dead-variables` asks for it"),
    ("-o2", "no variable is hidden"),
    ("-o3", "statements are merged if `lariat check --merge-statements` asks for it"),
    ("-o4", "nothing is done about rendezvous"),
    ("-o5", "no code is generated"),
    ("-o7", "semicolons are read by both rules"),
    ("-S1", "no code is generated"),
    ("-S2", "no code is generated"),
    ("-v", "every step is shown as it is"),
    ("-w", "every step is shown as it is"),
    ("-X", "there is no xspin"),
    ("-Y", "there is no xspin"),
    ("-Z", "there is no xspin"),
];

/// Words of verifiers, and of their compilation, that have no meaning here.
const IDLE_IN_PAN: &[(&str, &str)] = &[
    ("-b", "a depth that is too small gives the verdict unknown"),
    ("-bcs", "all schedules are searched"),
    ("-bfspar", "large searches take all processors where they can"),
    ("-collapse", "states are always kept as numbers of their pieces"),
    ("-d", "`lariat info --ir MODEL` shows the locations"),
    ("-D", "`lariat info --ir MODEL` shows the locations"),
    ("-dfspar", "large searches take all processors where they can"),
    ("-g", "there is no xspin"),
    ("-hash", "the hash function is always the same"),
    ("-p_permute", "processes are taken in their order"),
    ("-p_reverse", "processes are taken in their order"),
    ("-rhash", "the hash function is always the same"),
    ("-S", "`lariat spin -t MODEL` follows a trail"),
    ("-T", "trails can be written again"),
    ("-t_reverse", "transitions are taken in their order"),
    ("-v", "files are always named"),
    ("-W", "nothing is compiled"),
];

/// Macros for the compiler of a verifier that have no meaning here.
const IDLE_MACROS: &[&str] = &[
    "BFS_PAR",
    "COLLAPSE",
    "MA",
    "MURMUR",
    "NCORE",
    "NFAIR",
    "NOBOUNDCHECK",
    "NOFAIR",
    "NOFIX",
    "NOSTUTTER",
    "NXT",
    "PRINTF",
    "REVERSE",
    "R_XPT",
    "SFH",
    "SPACE",
    "SVDUMP",
    "T_REVERSE",
    "VAR_RANGES",
    "VECTORSZ",
    "VERBOSE",
    "W_XPT",
    "XUSAFE",
];

/// Takes words one by one.
struct Words<'w> {
    rest: &'w [String],
}

impl<'w> Words<'w> {
    fn take(&mut self) -> Option<&'w str> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    /// What belongs to a word: the next one, unless that is the model.
    fn value(&mut self, of: &str, what: &str) -> Result<String, String> {
        self.take().map(str::to_string).ok_or_else(|| format!("`{of}` is followed by {what}"))
    }

    /// The number behind a letter: `-m100`, or `-m 100` if more words follow.
    fn number(&mut self, word: &str, attached: &str) -> Result<u64, String> {
        let text = match attached {
            "" if self.rest.len() > 1 => self.rest[0].as_str(),
            "" => "",
            attached => attached,
        };
        let number =
            text.parse().map_err(|_| format!("`{word}` is followed by a number, as in `{word}100`"))?;
        if attached.is_empty() {
            self.take();
        }
        Ok(number)
    }
}

/// Understands a command line; or says what is wrong with it.
pub fn parse(words: &[String]) -> Result<SpinCommand, String> {
    let mut command = SpinCommand::default();
    let mut words = Words { rest: words };
    let mut behind_run = false;
    let mut follows = None;
    let mut trail = None;
    let (mut generates, mut verifies, mut version) = (false, false, false);
    while let Some(word) = words.take() {
        if word == "--spin-exit-codes" {
            command.spin_exit_codes = true;
            continue;
        }
        if !word.starts_with('-') || word == "-" {
            if let Some(earlier) = command.model.replace(PathBuf::from(word)) {
                return Err(format!(
                    "two models: {} and {word}; other words stand before it",
                    earlier.display()
                ));
            }
            continue;
        }
        if behind_run {
            of_verifier(word, &mut words, &mut command, &mut follows)?;
            continue;
        }
        let (letter, attached) = letter_of(word);
        match (word, letter) {
            ("-run" | "-search", _) => (verifies, behind_run) = (true, true),
            ("-replay", _) => follows = Some(None),
            ("-a", _) => generates = true,
            ("-V" | "--version", _) => version = true,
            ("-i", _) => command.interactive = true,
            ("-p", _) => command.print.statements = true,
            ("-g", _) => command.print.globals = true,
            ("-l", _) => command.print.locals = true,
            ("-s", _) => command.print.sends = true,
            ("-r", _) => command.print.receives = true,
            ("-c", _) => command.print.columns = true,
            ("-M", _) => command.print.chart = true,
            ("-b", _) => command.print.printed = false,
            ("-B", _) => command.print.last_state = false,
            ("-T", _) => command.print.indented = false,
            ("-t", _) => follows = Some(None),
            (_, 't') if is_number(attached) => follows = Some(attached.parse().ok()),
            ("-k", _) => trail = Some(PathBuf::from(words.value("-k", "the file of a trail")?)),
            ("-f", _) => command.formula = Some(Formula::Given(words.value("-f", "a formula")?)),
            ("-F", _) => {
                command.formula = Some(Formula::InFile(words.value("-F", "the file of a formula")?.into()))
            }
            ("-N", _) => {
                let file = words.value("-N", "the file of a never claim")?;
                command.check.extend(["--claim".to_string(), file]);
            }
            (_, 'n') => command.seed = Some(words.number("-n", attached)?),
            (_, 'u') => command.steps = Some(words.number("-u", attached)?),
            (_, 'j') => command.print.from = words.number("-j", attached)?,
            (_, 'q') => {
                words.number("-q", attached)?;
                command.ignored.push((word.to_string(), "all channels are shown"));
            }
            (_, 'D') if !attached.is_empty() => command.read.push(word.to_string()),
            (_, 'P') if !attached.is_empty() => {
                command.read.extend(["--cpp".to_string(), attached.to_string()])
            }
            (_, 'E' | 'U') if !attached.is_empty() => {
                return Err(format!(
                    "`{word}` is for another preprocessor\n  = hint: `-P'COMMAND'` runs one, with its options"
                ));
            }
            ("-m", _) => return Err(changes_meaning("-m", "messages to full channels are never lost")),
            ("-O", _) => return Err(changes_meaning("-O", "a variable is known in its block only")),
            ("-J", _) => return Err(changes_meaning("-J", "of nested escapes the outer one comes first")),
            ("-o6", _) => return Err(changes_meaning("-o6", "priorities are those of Spin 6.2 and later")),
            ("-e", _) => return Err("`-e` multiplies claims, which is not there".to_string()),
            ("-pp", _) => return Err("`-pp` formats a model, which is not there".to_string()),
            _ => idle(word, IDLE_IN_SPIN, &mut command).ok_or_else(|| unknown(word, "Spin"))?,
        }
    }
    if let Some(file) = trail {
        follows.get_or_insert(None);
        command.task = SpinTask::Follow(TrailFile::Named(file));
    } else if let Some(number) = follows {
        command.task = SpinTask::Follow(TrailFile::BesideModel(number));
    }
    if follows.is_none() {
        let formula = command.formula.clone();
        command.task = match (version, verifies, generates, formula) {
            (true, ..) => SpinTask::Version,
            (_, true, ..) => SpinTask::Verify,
            (_, _, true, _) => SpinTask::Generate,
            (_, _, _, Some(formula)) => SpinTask::Translate(formula),
            (false, false, false, None) => SpinTask::Simulate,
        };
    }
    let needs_model = !matches!(command.task, SpinTask::Translate(_) | SpinTask::Version);
    if needs_model && command.model.is_none() {
        return Err("there is no model: its name comes last, as in `lariat spin -run model.pml`".to_string());
    }
    Ok(command)
}

/// A word behind `-run`.
fn of_verifier(
    word: &str,
    words: &mut Words,
    command: &mut SpinCommand,
    follows: &mut Option<Option<u32>>,
) -> Result<(), String> {
    let (letter, attached) = letter_of(word);
    let mut check = |words: &[&str]| command.check.extend(words.iter().map(|word| word.to_string()));
    match (word, letter) {
        ("-a", _) => command.acceptance = true,
        ("-l", _) => command.progress = true,
        ("-f", _) => check(&["--fair", "weak"]),
        ("-safety", _) => command.safety = true,
        ("-ltl", _) => command.claim = Some(words.value("-ltl", "the name of a formula")?),
        ("-N", _) => command.claim = Some(words.value("-N", "the name of a claim")?),
        (_, 'N') if !is_number(attached) => command.claim = Some(attached.to_string()),
        ("-noclaim", _) => command.no_claim = true,
        ("-noreduce", _) => command.no_reduction = true,
        ("-A", _) => command.ignore_assertions = true,
        ("-E", _) => command.ignore_ends = true,
        ("-e", _) => command.all_trails = true,
        ("-n", _) => command.no_unreached = true,
        ("-x", _) => command.keep_trail = true,
        ("-i" | "-I", _) => check(&["--shortest"]),
        ("-bfs", _) => check(&["--shortest"]),
        ("-bitstate" | "-bit", _) => check(&["--store", "bitstate"]),
        (_, 'h') if word.starts_with("-hc") => check(&["--store", "compact"]),
        ("-V", _) => command.task = SpinTask::Version,
        ("-r" | "-C" | "-replay", _) => {
            *follows = Some(None);
            command.print.columns |= word == "-C";
            command.print.statements |= word != "-C";
        }
        (_, 'c') if is_number(attached) => command.errors = attached.parse().unwrap_or(1),
        (_, 'm') if word != "-m" || words.rest.len() > 1 => {
            let depth = words.number("-m", attached)?.to_string();
            check(&["--max-depth", &depth]);
        }
        (_, 'Q') => {
            let minutes = words.number("-Q", attached)?;
            check(&["--timeout", &format!("{minutes}m")]);
        }
        (_, 'k') if is_number(attached) => check(&["--bits-per-state", attached]),
        (_, 'w') if is_number(attached) => {
            command.ignored.push((word.to_string(), "the table of states grows by itself"));
        }
        (_, 'h') if is_number(attached) => {
            command.ignored.push((word.to_string(), "the hash function is always the same"));
        }
        (_, 't') if !attached.is_empty() && attached != "_reverse" => command.suffix = attached.to_string(),
        ("-q", _) => {
            return Err(changes_meaning("-q", "a process may end whatever its channels hold"));
        }
        ("-J", _) => return Err(changes_meaning("-J", "of nested escapes the outer one comes first")),
        (_, 'D') if !attached.is_empty() => compiled_with(attached, command),
        (_, 'O') => command.ignored.push((word.to_string(), "nothing is compiled")),
        ("-link", _) => {
            words.value("-link", "a file")?;
            return Err("`-link` is for C code, which models here cannot have".to_string());
        }
        _ if ["-RS", "-p_rotate", "-swarm", "-biterate"].iter().any(|known| word.starts_with(known)) => {
            command.ignored.push((word.to_string(), "one search, in its order, sees everything"));
        }
        _ => idle(word, IDLE_IN_PAN, command).ok_or_else(|| unknown(word, "Spin's verifiers"))?,
    }
    Ok(())
}

/// A macro for the compiler of a verifier.
fn compiled_with(definition: &str, command: &mut SpinCommand) {
    let (name, value) = definition.split_once('=').unwrap_or((definition, ""));
    let mut check = |words: &[&str]| command.check.extend(words.iter().map(|word| word.to_string()));
    match name {
        "NOREDUCE" => command.no_reduction = true,
        "SAFETY" => command.safety = true,
        "NOCLAIM" => command.no_claim = true,
        "NP" => {}
        "BITSTATE" => check(&["--store", "bitstate"]),
        "BFS" | "REACH" => check(&["--shortest"]),
        "MEMLIM" if is_number(value) => check(&["--max-memory", &format!("{value}M")]),
        name if name == "HC" || (name.starts_with("HC") && is_number(&name[2..])) => {
            check(&["--store", "compact"]);
        }
        name if IDLE_MACROS.contains(&name) => {
            command.ignored.push((format!("-D{definition}"), "nothing is compiled"));
        }
        _ => command.ignored.push((
            format!("-D{definition}"),
            "nothing is compiled, and macros of the model stand before `-run`",
        )),
    }
}

fn letter_of(word: &str) -> (char, &str) {
    let name = &word[1..];
    let letter = name.chars().next().unwrap_or('-');
    (letter, &name[letter.len_utf8().min(name.len())..])
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn idle(word: &str, table: &[(&str, &'static str)], command: &mut SpinCommand) -> Option<()> {
    let (_, why) = table.iter().find(|(known, _)| *known == word)?;
    command.ignored.push((word.to_string(), why));
    Some(())
}

fn changes_meaning(word: &str, here: &str) -> String {
    format!("`{word}` would change what the model means, and is not there\n  = hint: here {here}")
}

fn unknown(word: &str, whose: &str) -> String {
    let hint = match whose {
        "Spin" => "options of a verifier stand behind `-run`",
        _ => "options of Spin stand before `-run`",
    };
    format!("`{word}` is no option of {whose}\n  = hint: {hint}")
}

#[cfg(test)]
mod tests;
