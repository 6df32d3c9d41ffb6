//! Packing and unpacking near a state that is known, against doing it from nothing: whatever was read or
//! packed before, in whichever lane, a stored state stands for the same working state, and that one is stored
//! as it was, with the same sum.

use lariat_engine::{Entry, Interpreter, SuccessorFunction, Successors};
use lariat_generators::random::Random;
use lariat_generators::{GeneratorOptions, generate};
use lariat_model::ir::Model;
use lariat_promela::{ReadOptions, read_model, read_text};
use lariat_source::SourceMap;
use lariat_store::{StateHash, WeightedSums};
use std::collections::HashSet;
use std::path::Path;

/// Some states of a model, in the order in which they are met, and as they are when they are unpacked from
/// nothing.
fn states_of(interpreter: &Interpreter, most: usize) -> Vec<(Vec<u8>, Vec<u8>)> {
    let Ok(initial) = interpreter.initial_state() else { return Vec::new() };
    let mut seen: HashSet<Vec<u8>> = HashSet::from([initial.clone()]);
    let (mut list, mut out) = (vec![initial], Successors::new());
    let mut next = 0;
    while next < list.len() {
        interpreter.successors(&list[next].clone(), &mut out);
        for i in (0..out.len()).filter(|_| seen.len() < most).collect::<Vec<_>>() {
            if seen.insert(out.state(i).to_vec()) {
                list.push(out.state(i).to_vec());
            }
        }
        next += 1;
    }
    list.into_iter()
        .map(|stored| {
            let mut working = Vec::new();
            interpreter.clone().working_state(&stored, &mut working);
            (stored, working)
        })
        .collect()
}

/// Reads and packs states in a random order, so often. How many were packed of which the shape was another
/// than that of the state before.
fn check(model: &Model, most: usize, rounds: usize, by_loops: bool, random: &mut Random) -> usize {
    let interpreter = Interpreter::new(model);
    let states = states_of(&interpreter, most);
    if states.is_empty() {
        return 0;
    }
    let hidden = interpreter.memory_size();
    let (packing, mut of_other_shapes) = (interpreter.clone(), 0);
    let mut packer = packing.packer();
    if by_loops {
        packer.gather_by_loops();
    }
    let lanes = [0, 1, 2, 3].map(Successors::for_lane);
    let (mut batch, mut packed) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        packer.take_lane(&lanes[random.below(4)]);
        let base = random.below(states.len());
        let (stored, working) = &states[base];
        match random.below(4) {
            // It is looked at, but not unpacked.
            0 => packer.numbers_in(stored, |_| ()),
            1 => {
                let mut copy = Vec::new();
                packer.unpack(stored, &mut copy);
                assert_eq!(copy, *working);
            }
            _ => assert_eq!(packer.unpack_in_place(stored).1, working),
        }
        // Mostly states that are not far from it, now and then any.
        let chosen: Vec<usize> = (0..random.below(6))
            .map(|_| match random.below(3) {
                0 => random.below(states.len()),
                _ => (base + random.below(20)).saturating_sub(10).min(states.len() - 1),
            })
            .collect();
        batch.clear();
        let mut entries: Vec<Entry> = Vec::new();
        for &state in &chosen {
            let start = batch.len() as u32;
            batch.extend_from_slice(&states[state].1);
            let (end, held) = (batch.len() as u32, Entry::NOBODY);
            entries.push(Entry { start, end, steps_start: 0, steps_end: 0, held, recalled_of: 0, sum: 0 });
            of_other_shapes += usize::from(states[state].1.len() != working.len());
        }
        packer.pack_all(&batch, &mut entries, &mut packed);
        for (entry, &state) in entries.iter().zip(&chosen) {
            let (found, expected) = (&packed[entry.start as usize..entry.end as usize], &states[state].0);
            assert_eq!(found, expected, "after {stored:?}");
            assert_eq!(entry.sum, WeightedSums.sum(&expected[..expected.len() - hidden]), "of {expected:?}");
        }
    }
    of_other_shapes
}

/// Hidden globals, processes and channels that come and go, long states with numbers of two bytes.
const CHANGING: &str = "
hidden int seen; hidden byte note;
int total; byte kinds[20]; short wide;
chan all = [3] of { short, byte };
proctype worker(byte n; int start) {
  chan own = [2] of { byte };
  int sum = start; byte k; short s;
  do
  :: k < 4 -> own!k; k++; sum = sum * 3 + n; seen = sum
  :: nempty(own) -> own?k; k++; kinds[n] = k; note = n
  :: all!sum,k
  :: all?s,k -> wide = s; total = total + s; k = k + 1
  :: k >= 4 -> break
  od
}
proctype brief() { byte b; b = 3; wide++ }
init {
  byte n;
  do
  :: n < 6 -> run worker(n, 1000 * n); n++
  :: n < 7 -> run brief(); n++
  :: total > 100000 -> break
  od
}";

fn read(text: &str) -> Model {
    let (model, _) = read_text("text.pml", text, &ReadOptions::default(), &mut SourceMap::new());
    model.expect("it can be read")
}

#[test]
fn hidden_globals_and_many_shapes() {
    let mut random = Random::new(1);
    let of_other_shapes: usize = [false, true]
        .map(|by_loops| check(&read(CHANGING), 2000, 10_000, by_loops, &mut random))
        .iter()
        .sum();
    assert!(of_other_shapes > 1000, "{of_other_shapes}");
}

/// Frames in more words than are compared at a time, and more numbered pieces than a set has bits.
#[test]
fn long_states() {
    let mut random = Random::new(2);
    for count in [1, 3, 9, 15, 30, 70] {
        let text = format!(
            "int g[3]; proctype p(byte n) {{ int a = n; int b; short c[5];
               do :: a = a * 5 + n; b++ :: b > 0 -> c[n % 5] = a; b = 0 :: g[n % 3] = a od }}
             init {{ byte i; atomic {{ do :: i < {count} -> run p(i); i++ :: else -> break od }} }}"
        );
        for by_loops in [false, true] {
            check(&read(&text), 200, 1000, by_loops, &mut random);
        }
    }
}

#[test]
fn models_in_files() {
    let mut random = Random::new(3);
    let (mut checked, mut of_other_shapes) = (0, 0);
    for folder in ["models", "tests/regressions"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
        let mut paths: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for path in paths {
            let mut sources = SourceMap::new();
            let (model, _) = match path.extension().and_then(|extension| extension.to_str()) {
                Some("pml") => read_model(&path, &ReadOptions::default(), &mut sources).unwrap(),
                Some("dve") => lariat_dve::read_file(&path, &mut sources).unwrap(),
                _ => continue,
            };
            let Some(model) = model else { continue };
            of_other_shapes += check(&model, 200, 1000, checked % 4 == 0, &mut random);
            checked += 1;
        }
    }
    assert!(checked > 80 && of_other_shapes > 1000, "{checked} {of_other_shapes}");
}

#[test]
fn random_models() {
    let mut random = Random::new(4);
    for seed in 0..100 {
        let text = generate(seed, &GeneratorOptions::default()).to_string();
        let (model, _) = read_text("random.pml", &text, &ReadOptions::default(), &mut SourceMap::new());
        let Some(model) = model else { continue };
        check(&model, 200, 800, seed % 4 == 0, &mut random);
    }
}
