//! Promises about channels (`xr`, `xs`): a breach is an error, but the step is taken all the same.
//!
//! A process that has promised to be the only one to receive from (or send to) a channel has this promise for
//! as long as it lives. Sends and receives by others are breaches, and so is a second promise of the same
//! kind for the same channel. (Spin checks this only when it reduces; the promise is wrong either way.)

use super::Interpreter;
use super::evaluate::Scene;
use crate::successors::{Step, Successors, Violation, ViolationKind};
use lariat_model::ir::*;

impl Interpreter<'_> {
    /// Reports the promises of other processes that an action, about to be executed in this scene, breaks.
    pub(super) fn check_exclusive(
        &self,
        action: &Action,
        steps: &[Step],
        scene: &Scene,
        out: &mut Successors,
    ) {
        if !self.has_exclusive {
            return;
        }
        let (usage, channel) = match action {
            Action::Send { channel, .. } => (ChannelUse::Send, channel),
            Action::Receive(receive) => (ChannelUse::Receive, &receive.channel),
            Action::Run { process, .. } => return self.check_second_promise(*process, steps, scene, out),
            _ => return,
        };
        let Ok(number) = self.evaluate(channel, scene) else { return };
        if let Some(owner) = self.promised_to(usage, number, scene)
            && owner != scene.pid
        {
            self.report_breach(usage, number, owner, scene, steps, out);
        }
    }

    /// A process just created must not promise what another one has promised, as far as its parameters do not
    /// matter.
    fn check_second_promise(
        &self,
        process: ProcessTypeId,
        steps: &[Step],
        scene: &Scene,
        out: &mut Successors,
    ) {
        for exclusive in &self.model.process_types[process.0 as usize].exclusive {
            if let Expr::Global { .. } = exclusive.channel
                && let Ok(number) = self.evaluate(&exclusive.channel, scene)
                && let Some(owner) = self.promised_to(exclusive.usage, number, scene)
            {
                self.report_breach(exclusive.usage, number, owner, scene, steps, out);
            }
        }
    }

    /// The process that has promised to be the only one.
    fn promised_to(&self, usage: ChannelUse, channel: i32, scene: &Scene) -> Option<usize> {
        (0..scene.frames.processes.len()).find(|pid| {
            let owner = self.scene(*pid, scene.bytes, scene.frames, false);
            let promises = &self.model.process_types[owner.ty as usize].exclusive;
            promises
                .iter()
                .any(|p| p.usage == usage && self.evaluate(&p.channel, &owner).is_ok_and(|c| c == channel))
        })
    }

    fn report_breach(
        &self,
        usage: ChannelUse,
        channel: i32,
        owner: usize,
        scene: &Scene,
        steps: &[Step],
        out: &mut Successors,
    ) {
        let (word, verb) = match usage {
            ChannelUse::Receive => ("xr", "receive from"),
            ChannelUse::Send => ("xs", "send to"),
        };
        let name = |pid: usize| {
            let ty = scene.frames.processes[pid].ty as usize;
            format!("{} (process {pid})", self.model.process_types[ty].name)
        };
        let message = format!(
            "{word} is broken: only {} may {verb} channel {channel}, but {} does",
            name(owner),
            name(scene.pid)
        );
        out.push_violation(Violation { kind: ViolationKind::RuntimeError, message }, steps);
    }
}
