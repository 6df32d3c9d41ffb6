//! The portable form of states: it does not depend on who found them, comes back as it was, and nothing else
//! is taken for a state.

#[path = "../../model/tests/random_models/mod.rs"]
mod random_models;

use lariat_engine::{Interpreter, NotPortable, Patience, SuccessorFunction, Successors, portable_hash};
use lariat_model::ir::*;
use random_models::{Temper, model as random_model};
use std::collections::HashMap;

/// The portable form of a stored state.
fn portable(interpreter: &Interpreter, state: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    interpreter.packer().to_portable(state, &mut out);
    out
}

fn stored(interpreter: &Interpreter, portable: &[u8]) -> Result<Vec<u8>, NotPortable> {
    let mut out = Vec::new();
    interpreter.packer().from_portable(portable, &mut out).map(|()| out)
}

/// Some states of a model, found in one order or another.
fn some_states(interpreter: &Interpreter, last_first: bool) -> Vec<Vec<u8>> {
    let mut found: Vec<Vec<u8>> = interpreter.initial_state().into_iter().collect();
    let mut open = found.clone();
    let mut out = Successors::new();
    while found.len() < 40
        && let Some(state) = if last_first { open.pop() } else { (!open.is_empty()).then(|| open.remove(0)) }
    {
        interpreter.successors(&state, &mut out);
        for i in 0..out.len() {
            if !found.iter().any(|known| known == out.state(i)) {
                found.push(out.state(i).to_vec());
                open.push(out.state(i).to_vec());
            }
        }
    }
    found
}

/// Whether there are programs, which may go round in circles for ever.
fn has_programs(model: &Model) -> bool {
    let transitions = model.process_types.iter().flat_map(|p| &p.locations).flat_map(|l| &l.transitions);
    transitions.into_iter().any(|transition| matches!(transition.action, Action::Program(_)))
}

#[test]
fn random_models_in_two_orders() {
    let (mut states, mut shared, mut refused) = (0, 0, 0);
    for seed in 0..1500 {
        let model = random_model(Temper::Incurious, seed);
        if has_programs(&model) {
            continue;
        }
        // Two searches, with tables of their own.
        let patience = Patience { max_bytes: 1 << 14, ..Patience::default() };
        let [one, other] = [0, 1].map(|_| Interpreter::new(&model).with_patience(patience));
        let hidden = one.packer().hidden_size();
        let mut by_form: HashMap<Vec<u8>, Vec<u8>> = HashMap::new();
        for state in some_states(&one, false) {
            let form = portable(&one, &state);
            assert_eq!(stored(&one, &form).as_ref(), Ok(&state), "it comes back");
            let visible = form.len() - hidden;
            let before = by_form.insert(form[..visible].to_vec(), state[..state.len() - hidden].to_vec());
            assert!(before.is_none_or(|before| before == state[..state.len() - hidden]));
            if by_form.len() < 4 {
                refused += refuses_what_is_no_state(&one, &form);
            }
        }
        for state in some_states(&other, true) {
            let form = portable(&other, &state);
            let back = stored(&one, &form).unwrap_or_else(|why| panic!("{why:?}"));
            assert_eq!(portable(&one, &back), form, "the other search understands it");
            let visible = &form[..form.len() - hidden];
            if let Some(known) = by_form.get(visible) {
                shared += 1;
                assert_eq!(*known, back[..back.len() - hidden], "the same state");
            }
            states += 1;
        }
    }
    assert!(states > 1_200 && shared > 1_000 && refused > 5_000, "{states}, {shared}, {refused}");
}

/// Bytes too few or too many, and numbers out of range. How many of them were refused.
fn refuses_what_is_no_state(interpreter: &Interpreter, form: &[u8]) -> usize {
    let wrong = [form[..form.len() - 1].to_vec(), [form, &[0]].concat(), [&[0xff; 3], form].concat()];
    assert!(wrong.iter().all(|wrong| stored(interpreter, wrong).is_err()));
    let mut refused = wrong.len();
    // Any other byte is refused, or is another state: then it comes back.
    for place in 0..form.len() {
        let mut changed = form.to_vec();
        changed[place] ^= 1 << (place % 8);
        match stored(interpreter, &changed) {
            Ok(state) => assert_eq!(portable(interpreter, &state), changed),
            Err(_) => refused += 1,
        }
    }
    refused
}

/// The form is for ever, as the hash is.
#[test]
fn the_form_never_changes() {
    let text = r#"lariat-ir 1
model "m"
globals size 4 hidden 1
  var "x" short g0.i16
  var "flag" bool g2.u1
  var "c" channel g3.u8
  var "h" byte g4.u8 hidden
  init g3.u8 = new c0
  init g4.u8 = 7
channel c0 "c" capacity 2: byte.u8
process p0 "P" start 1 size 1 parameters 0
  var "n" byte l0.u8
  statement 0 ""
  location 0
  location 1
    -> 2 #0 set g0.i16 = -2
  location 2
    -> 2 #0 set g2.u1 = 1
start p0 priority 1
"#;
    let model = lariat_model::text::parse(text).unwrap_or_else(|error| panic!("{error}"));
    let interpreter = Interpreter::new(&model);
    let states = some_states(&interpreter, false);
    let forms: Vec<Vec<u8>> = states.iter().map(|state| portable(&interpreter, state)).collect();
    // Two frames, the channel's tag, the process's; `x`, `flag` and the channel's number; what the channel
    // holds, the location, `n`; the hidden byte.
    let expected: [&[u8]; 3] = [
        &[2, 1, 0, 0x00, 0x00, 0x02, 0, 0, 0x08, 0, 7],
        &[2, 1, 0, 0xfe, 0xff, 0x02, 0, 0, 0x10, 0, 7],
        &[2, 1, 0, 0xfe, 0xff, 0x03, 0, 0, 0x10, 0, 7],
    ];
    assert_eq!(forms, expected);
    let hashes: Vec<u64> = forms.iter().map(|form| portable_hash(&form[..form.len() - 1])).collect();
    assert_eq!(hashes, [0x06fc_196d_2fe7_f176, 0x20e2_c05d_2907_1b80, 0x8f45_ace5_77a2_6af1]);
}
