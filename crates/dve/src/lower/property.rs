//! The process that watches the others.
//!
//! It moves together with every step of the system, and its guards are judged in the state that the step
//! starts from. That is how a never claim reads a run: it reads a state, then the model moves. So the
//! property process is a claim, as it stands.

use super::Lowering;
use crate::ast;
use crate::lower::expressions::View;
use lariat_model::ir;
use lariat_source::Diagnostic;

/// What is said about a property process that wants to do something.
pub const PROPERTY_ONLY_WATCHES: &str = "the property process only watches";

impl<'a> Lowering<'a> {
    pub(super) fn watch(&mut self, index: usize, process: &mut ir::ProcessType) {
        let text: &'a ast::Process = self.processes[index].text;
        let doing = text.transitions.iter().find_map(|transition| {
            let sync = transition.sync.as_ref().map(|sync| sync.span);
            sync.or(transition.effects.first().map(|effect| effect.place.span.to(effect.value.span)))
        });
        let doing = doing.or(text.variables.iter().find(|v| !v.constant).map(|variable| variable.name.span));
        let doing = doing.or(text.commit.first().map(|state| state.span));
        let doing = doing.or(text.assertions.first().map(|assertion| assertion.span));
        if let Some(span) = doing {
            let message = Diagnostic::error(PROPERTY_ONLY_WATCHES, span)
                .expected("it has states and guards, and nothing else");
            self.messages.push(message);
            return;
        }
        process.variables.clear();
        process.initialise.clear();
        for transition in &text.transitions {
            let (source, target) =
                (self.state(index, &transition.source), self.state(index, &transition.target));
            let view = View { text: Some(index), ..View::OUTSIDE };
            let guard = transition.guard.as_ref().map(|guard| self.value(guard, view)).transpose();
            let (Ok(source), Ok(target), Ok(guard)) = (source, target, guard) else { continue };
            let shown = match &transition.guard {
                Some(guard) => self.squeezed(guard.span),
                None => "true".to_string(),
            };
            let statement = self.statement(process, shown, transition.span);
            process.locations[source as usize].transitions.push(ir::Transition {
                action: guard.map_or(ir::Action::Skip, ir::Action::Guard),
                target,
                keeps_control: false,
                escape: 0,
                statement,
            });
        }
    }
}
