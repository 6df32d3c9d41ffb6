//! Random DVE models: small, dense in what the language has, and explored in a moment.
//!
//! Variables count modulo a small number most of the time, so there are few states; now and then one
//! overflows, an index is out of range, or something is divided by zero.

use crate::random::Random;
use std::fmt::Write;

/// A model, from a seed.
pub fn generate_dve(seed: u64) -> String {
    let mut random = Random::new(seed ^ 0xd5e5_0d7e);
    let mut draft = Draft {
        processes: 2 + random.below(3),
        states: Vec::new(),
        commits: random.chance(40),
        plain_channels: random.below(3),
        typed_channels: random.below(2),
        buffers: random.below(2),
        out: String::new(),
    };
    draft.states = (0..draft.processes).map(|_| 1 + random.below(4)).collect();
    draft.model(&mut random);
    draft.out
}

struct Draft {
    processes: usize,
    /// Of each process.
    states: Vec<usize>,
    commits: bool,
    /// `c0`, …: rendezvous, one value.
    plain_channels: usize,
    /// `t0`, …: rendezvous, a byte and an int.
    typed_channels: usize,
    /// `b0`, …: two places, a byte.
    buffers: usize,
    out: String,
}

impl Draft {
    fn model(&mut self, random: &mut Random) {
        let first = random.below(4);
        let _ = writeln!(self.out, "const byte N = 3;\nbyte x = {first}, a[3] = {{1, N - 1}};\nint y = -1;");
        for channel in 0..self.plain_channels {
            let _ = writeln!(self.out, "channel c{channel};");
        }
        for channel in 0..self.typed_channels {
            let _ = writeln!(self.out, "channel {{byte, int}} t{channel}[0];");
        }
        for channel in 0..self.buffers {
            let _ = writeln!(self.out, "channel {{byte}} b{channel}[2];");
        }
        for process in 0..self.processes {
            self.process(process, random);
        }
        self.out.push_str("system async;\n");
    }

    fn process(&mut self, process: usize, random: &mut Random) {
        let states: Vec<String> = (0..self.states[process]).map(|state| format!("q{state}")).collect();
        let _ = writeln!(self.out, "process P{process} {{\nbyte l = {process}; int m;",);
        let _ = writeln!(self.out, "state {}; init q{};", states.join(", "), random.below(states.len()));
        if self.commits && random.chance(60) {
            let _ = writeln!(self.out, "commit q{};", random.below(states.len()));
        }
        if random.chance(30) {
            let condition = self.condition(random, 2);
            let _ = writeln!(self.out, "assert q{}: {condition};", random.below(states.len()));
        }
        self.out.push_str("trans\n");
        let count = 1 + random.below(5);
        for transition in 0..count {
            // Sometimes the source is left out.
            let source = match transition > 0 && random.chance(20) {
                true => String::new(),
                false => format!("q{} ", random.below(states.len())),
            };
            let _ = write!(self.out, "{source}-> q{} {{", random.below(states.len()));
            if random.chance(60) {
                let guard = self.condition(random, 2);
                let _ = write!(self.out, " guard {guard};");
            }
            self.sync(random);
            let effects = random.below(4);
            if effects > 0 {
                let list: Vec<String> = (0..effects).map(|_| self.effect(random)).collect();
                let _ = write!(self.out, " effect {};", list.join(", "));
            }
            self.out.push_str(if transition + 1 < count { " },\n" } else { " };\n" });
        }
        self.out.push_str("}\n");
    }

    fn sync(&mut self, random: &mut Random) {
        let channels = self.plain_channels + self.typed_channels + self.buffers;
        if channels == 0 || !random.chance(50) {
            return;
        }
        let chosen = random.below(channels);
        let sends = random.chance(50);
        let text = if chosen < self.plain_channels {
            match sends {
                true => format!("c{chosen}!{}", self.value(random, 1)),
                false => format!("c{chosen}?{}", self.place(random)),
            }
        } else if chosen < self.plain_channels + self.typed_channels {
            let channel = chosen - self.plain_channels;
            match sends {
                true => format!("t{channel}!{{{}, {}}}", self.value(random, 1), self.value(random, 1)),
                false => format!("t{channel}?{{{}, {}}}", self.place(random), self.place(random)),
            }
        } else {
            let channel = chosen - self.plain_channels - self.typed_channels;
            match sends {
                true => format!("b{channel}!{{{}}}", self.value(random, 1)),
                false => format!("b{channel}?{{{}}}", self.place(random)),
            }
        };
        let _ = write!(self.out, " sync {text};");
    }

    fn effect(&mut self, random: &mut Random) -> String {
        let (place, value) = (self.place(random), self.value(random, 2));
        // Mostly small, so that the states are few.
        match random.below(20) {
            0 => format!("{place} = {value}"),
            1 => format!("{place} = ({value}) % x"),
            _ => format!("{place} = (({value}) % N + N) % N"),
        }
    }

    fn place(&mut self, random: &mut Random) -> String {
        match random.below(6) {
            0 => "x".to_string(),
            1 => "y".to_string(),
            2 => format!("a[{}]", random.below(3)),
            3 => "a[l]".to_string(),
            4 => "l".to_string(),
            _ => "m".to_string(),
        }
    }

    fn value(&mut self, random: &mut Random, depth: usize) -> String {
        let leaf = depth == 0 || random.chance(40);
        match random.below(if leaf { 6 } else { 9 }) {
            0 => random.below(4).to_string(),
            1 => "N".to_string(),
            2 => self.place(random),
            3 => self.place(random),
            4 => format!("P{}->l", random.below(self.processes)),
            5 => self.in_state(random),
            6 => format!("-{}", self.value(random, depth - 1)),
            7 => format!("({})", self.condition(random, depth - 1)),
            _ => {
                let operator = ["+", "-", "*", "+", "&", "|", "^", "<<", "/", "%"][random.below(10)];
                let (left, right) = (self.value(random, depth - 1), self.value(random, depth - 1));
                format!("({left} {operator} {right})")
            }
        }
    }

    fn in_state(&mut self, random: &mut Random) -> String {
        let process = random.below(self.processes);
        format!("P{process}.q{}", random.below(self.states[process]))
    }

    fn condition(&mut self, random: &mut Random, depth: usize) -> String {
        match random.below(if depth == 0 { 5 } else { 8 }) {
            0 => self.in_state(random),
            1..=4 => {
                let operator = ["==", "!=", "<", "<=", ">", ">="][random.below(6)];
                format!("{} {operator} {}", self.value(random, 1), self.value(random, 1))
            }
            5 => format!("not ({})", self.condition(random, depth - 1)),
            _ => {
                let operator = ["and", "or", "imply", "&&", "||"][random.below(5)];
                format!(
                    "({}) {operator} ({})",
                    self.condition(random, depth - 1),
                    self.condition(random, depth - 1)
                )
            }
        }
    }
}
