//! What is too large for the intermediate form is refused here, so that no model asks for more memory than
//! there is.

use super::*;
use lariat_model::verify::{MAX_LIST, MAX_SECTION};

impl Lowering<'_> {
    /// The length of an array, if it is one that can be had.
    pub(super) fn checked_length(&mut self, length: i32, span: Span) -> u32 {
        let expected = match length {
            ..=0 => "expected at least 1".to_string(),
            length if length as usize > MAX_LIST => format!("expected at most {MAX_LIST}"),
            length => return length as u32,
        };
        self.error(Diagnostic::error(format!("an array of {length} elements"), span).expected(expected));
        1
    }

    /// How many bytes a variable takes behind the `used` ones of its section. One that does not fit is an
    /// error, and goes on without room.
    pub(super) fn size_of(&mut self, variable: &mut Variable, used: u32, span: Span) -> u32 {
        let size = variable.element_size as u64 * variable.length.unwrap_or(1) as u64;
        let all = used as u64 + size;
        if all <= MAX_SECTION {
            return size as u32;
        }
        let message = format!("the variables up to this one take {all} bytes");
        self.error(Diagnostic::error(message, span).expected(format!("at most {MAX_SECTION} are possible")));
        variable.length = variable.length.map(|_| 1);
        0
    }

    /// The number of scalars in a record: each is an argument where a record is sent or given to a process.
    pub(super) fn count_scalars(&mut self, fields: &[Variable], span: Span) -> u64 {
        let scalars_in = |ty: &Type| match ty {
            Type::Scalar { .. } => 1,
            Type::Record(id) => self.record_scalars[id.0 as usize],
        };
        let count =
            fields.iter().map(|f| scalars_in(&f.ty).saturating_mul(f.length.unwrap_or(1) as u64)).sum();
        if count > MAX_LIST as u64 {
            let message = format!("a type of {count} parts");
            self.error(Diagnostic::error(message, span).expected(format!("at most {MAX_LIST} are possible")));
        }
        count
    }

    /// A message that takes too much room, or has too many fields.
    pub(super) fn check_channel(&mut self, slots: i32, fields: &[Field], span: Span) -> bool {
        let message: u64 = fields.iter().map(|f| f.storage.size() as u64).sum();
        let fits = fields.len() <= MAX_LIST && slots as u64 * message.max(1) <= MAX_SECTION;
        if !fits {
            let what =
                format!("a channel of {slots} messages with {} fields each is too large", fields.len());
            self.error(
                Diagnostic::error(what, span).expected(format!("at most {MAX_SECTION} bytes are possible")),
            );
        }
        fits
    }

    /// Whether the fields of a record type, and of arrays of it, can be set one by one.
    pub(super) fn check_initialisations(&mut self, count: u64, span: Span) -> bool {
        let fits = count <= MAX_LIST as u64;
        if !fits {
            let message = format!("{count} initial values are too many");
            self.error(Diagnostic::error(message, span).expected(format!("at most {MAX_LIST} are possible")));
        }
        fits
    }

    /// What can be told only in the end.
    pub(super) fn check_limits(&mut self) {
        let mut messages = Vec::new();
        if self.model.initialise.len() > MAX_LIST {
            messages.push(format!("the global variables have more than {MAX_LIST} initial values"));
        }
        let claims = self.model.claims.iter().map(|claim| &claim.automaton);
        for process in self.model.process_types.iter().chain(claims) {
            let lengths = [
                (process.initialise.len(), "initial values"),
                (process.variables.len(), "variables"),
                (process.locations.len(), "control points"),
                (process.statements.len(), "statements"),
                (process.labels.len(), "labels"),
            ];
            if let Some((_, what)) = lengths.iter().find(|(length, _)| *length > MAX_LIST) {
                messages.push(format!("process `{}` has more than {MAX_LIST} {what}", process.name));
            }
        }
        for message in messages {
            self.error(Diagnostic::error(message, Span::default()));
        }
    }
}
