//! Sticky locations: every cycle in the control flow of a process type passes one.
//!
//! A reduced set leaves processes waiting, and on a cycle of states in which every set is reduced some
//! process might wait for ever. Every cycle of states goes round a cycle in the control flow of every
//! process that moves in it and lives all the way round (the oldest process that moves in it does: processes
//! die in reverse order of creation, and who creates it is older and moves too). So if a state is expanded
//! fully whenever a process moves from a sticky location, every cycle of states has a state that is expanded
//! fully (Kurshan, Levin, Minea, Peled and Yenigün 1998). That is known before the search, and needs no look
//! at any stack.
//!
//! Sticky locations cost reduction, so there are as few as possible, and where possible those from which
//! nothing could be reduced anyway: first all of these are sticky and of the others enough to meet every
//! cycle; then one after the other is made free again, the most promising first, as long as every cycle is
//! still met.

use lariat_model::ir::Location;

/// The control flow of a process type.
pub struct Flow {
    /// By location: where it may go on.
    pub further: Vec<Vec<Location>>,
    /// By location: how much is lost if it is sticky.
    pub loss: Vec<u32>,
}

impl Flow {
    /// A set of locations that meets every cycle.
    pub fn sticky(&self) -> Vec<bool> {
        let count = self.further.len();
        let mut sticky = vec![true; count];
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by_key(|&location| (std::cmp::Reverse(self.loss[location]), location));
        for location in order {
            sticky[location] = false;
            if self.lies_on_cycle(location, &sticky) {
                sticky[location] = true;
            }
        }
        sticky
    }

    /// Whether a free location lies on a cycle of free locations.
    fn lies_on_cycle(&self, location: usize, sticky: &[bool]) -> bool {
        let mut seen = vec![false; sticky.len()];
        let mut waiting = vec![location];
        while let Some(from) = waiting.pop() {
            for &to in &self.further[from] {
                let to = to as usize;
                if to == location {
                    return true;
                }
                if !sticky[to] && !std::mem::replace(&mut seen[to], true) {
                    waiting.push(to);
                }
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_acyclic(flow: &Flow, sticky: &[bool]) -> bool {
        (0..sticky.len()).all(|location| sticky[location] || !flow.lies_on_cycle(location, sticky))
    }

    #[test]
    fn every_cycle_is_met_and_nothing_is_sticky_without_need() {
        let mut number = 1u64;
        let mut below = |most: u64| {
            number = number.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (number >> 33) % most
        };
        for _ in 0..500 {
            let count = 1 + below(9) as usize;
            let further = (0..count)
                .map(|_| (0..below(3)).map(|_| below(count as u64) as Location).collect())
                .collect();
            let flow = Flow { further, loss: (0..count).map(|_| below(4) as u32).collect() };
            let sticky = flow.sticky();
            assert!(is_acyclic(&flow, &sticky));
            for location in (0..count).filter(|&location| sticky[location]) {
                let mut fewer = sticky.clone();
                fewer[location] = false;
                assert!(!is_acyclic(&flow, &fewer), "location {location} is sticky without need");
            }
        }
    }

    #[test]
    fn what_is_of_no_use_is_sticky_first() {
        // A loop of three locations, one of which is never reduced.
        let flow = Flow { further: vec![vec![1], vec![2], vec![0]], loss: vec![9, 0, 9] };
        assert_eq!(flow.sticky(), [false, true, false]);
    }
}
