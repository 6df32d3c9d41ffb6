//! The inside of a `d_step`: its nodes are blocks of code that change one copy of the state.

use super::transitions::{Scene, Translator};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, types};
use lariat_model::ir::*;

/// After so many steps backwards within one program, the interpreter looks whether it ends.
const MOST_ROUNDS: i64 = 100_000;

impl Translator<'_, '_> {
    /// Whether all actions of a program are compiled.
    pub fn is_compiled(&self, program: &Program) -> bool {
        let simple = |action: &Action| match action {
            Action::Send { .. } | Action::Receive(_) if self.subject.observed => false,
            Action::Send { channel, sorted, .. } => !sorted && self.has_few_layouts(channel),
            Action::Receive(receive) => !receive.random && self.has_few_layouts(&receive.channel),
            Action::Skip
            | Action::Else
            | Action::Guard(_)
            | Action::Assign(..)
            | Action::AssignAll(_)
            | Action::MoveProcess { .. }
            | Action::Assert(_)
            | Action::Print { .. } => true,
            Action::Run { .. } | Action::SetPriority(..) | Action::End | Action::Program(_) => false,
        };
        program.guards.iter().all(simple)
            && program.nodes.iter().all(|node| match node {
                Node::Do { action, .. } => simple(action),
                Node::Choose { options, .. } => options.iter().filter_map(|o| o.guard.as_ref()).all(simple),
                Node::Jump(_) => true,
            })
    }

    /// Goes on if one of the guards is executable, else to `other`.
    pub fn executable_program(&mut self, program: &Program, scene: &Scene, other: Block) {
        if program.guards.is_empty() {
            return;
        }
        let go = self.b.create_block();
        for guard in &program.guards {
            let next = self.b.create_block();
            self.executable(guard, scene, next);
            self.b.ins().jump(go, &[]);
            self.b.switch_to_block(next);
        }
        self.b.ins().jump(other, &[]);
        self.b.switch_to_block(go);
    }

    /// Goes on if the action can be executed, else to `other`.
    fn executable(&mut self, action: &Action, scene: &Scene, other: Block) {
        match action {
            Action::Guard(expr) => {
                let holds = self.condition(expr, scene);
                self.only_if(holds, other);
            }
            Action::Else => {
                let moved = self.has_moved();
                let nothing = self.b.ins().icmp_imm_s(IntCC::Equal, moved, 0);
                self.only_if(nothing, other);
            }
            Action::Send { channel, .. } => self.can_send(channel, scene, other),
            Action::Receive(receive) => self.can_receive(receive, scene, other),
            _ => {}
        }
    }

    /// Runs the program on the state that the scene shows.
    pub fn run_program(&mut self, program: &Program, scene: &Scene) {
        let outside = std::mem::replace(&mut self.in_program, true);
        let blocks: Vec<Block> = program.nodes.iter().map(|_| self.b.create_block()).collect();
        let exit = self.b.create_block();
        let rounds = self.b.declare_var(types::I64);
        let none = self.b.ins().iconst(types::I64, 0);
        self.b.def_var(rounds, none);
        let first = blocks.first().copied().unwrap_or(exit);
        self.b.ins().jump(first, &[]);
        for (number, node) in program.nodes.iter().enumerate() {
            self.b.switch_to_block(blocks[number]);
            let go_to = |this: &mut Self, next: &Next| match next {
                Next::Exit => {
                    this.b.ins().jump(exit, &[]);
                }
                Next::Node(node) => {
                    if *node as usize <= number {
                        let so_far = this.b.use_var(rounds);
                        let now = this.b.ins().iadd_imm_s(so_far, 1);
                        this.b.def_var(rounds, now);
                        let endless = this.b.ins().icmp_imm_s(IntCC::SignedGreaterThan, now, MOST_ROUNDS);
                        this.give_up_if(endless);
                    }
                    this.b.ins().jump(blocks[*node as usize], &[]);
                }
            };
            match node {
                Node::Jump(next) => go_to(self, next),
                Node::Do { action, next, .. } => {
                    let blocked = self.b.create_block();
                    self.executable(action, scene, blocked);
                    self.execute(action, scene);
                    go_to(self, next);
                    self.b.switch_to_block(blocked);
                    self.give_up();
                    self.unreachable();
                }
                Node::Choose { options, .. } => {
                    for option in options {
                        let other = self.b.create_block();
                        if let Some(guard) = &option.guard {
                            self.executable(guard, scene, other);
                            self.execute(guard, scene);
                        }
                        go_to(self, &option.next);
                        self.b.switch_to_block(other);
                    }
                    self.give_up();
                    self.unreachable();
                }
            }
        }
        self.b.switch_to_block(exit);
        self.in_program = outside;
    }

    /// Closes a block that nothing leads to.
    fn unreachable(&mut self) {
        let nothing = self.b.ins().iconst(types::I64, 0);
        self.b.ins().return_(&[nothing]);
    }

    /// Executes an action, which is executable, on the state that the scene shows.
    pub fn execute(&mut self, action: &Action, scene: &Scene) {
        match action {
            Action::Assign(place, expr) => {
                let value = self.value(expr, scene);
                self.assign(place, value, scene);
            }
            Action::AssignAll(list) => {
                let values: Vec<_> = list.iter().map(|(_, expr)| self.value(expr, scene)).collect();
                for ((place, _), value) in list.iter().zip(values) {
                    self.assign(place, value, scene);
                }
            }
            Action::MoveProcess { process, pid, location } => {
                self.move_process(*process, *pid, *location, scene);
            }
            Action::Assert(expr) => {
                let holds = self.condition(expr, scene);
                let fails = self.b.ins().icmp_imm_s(IntCC::Equal, holds, 0);
                self.give_up_if(fails);
            }
            Action::Send { channel, arguments, .. } => self.send_inside(channel, arguments, scene),
            Action::Receive(receive) => self.receive_inside(receive, scene),
            _ => {}
        }
    }
}
