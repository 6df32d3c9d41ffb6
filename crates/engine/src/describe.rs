//! States for people: names and values.

use crate::interpreter::{Interpreter, MicroState};
use lariat_model::ir::*;

/// The name of a symbol, or its number.
pub fn symbol(model: &Model, list: Option<u16>, value: i32) -> String {
    let lists = match list {
        Some(list) => model.symbol_lists.get(list as usize..=list as usize).unwrap_or(&[]),
        None => &model.symbol_lists[..],
    };
    let name = lists
        .iter()
        .find_map(|list| usize::try_from(value.wrapping_sub(1)).ok().and_then(|i| list.symbols.get(i)));
    name.cloned().unwrap_or_else(|| value.to_string())
}

/// A value as its type shows it.
pub fn shown(model: &Model, shown: ShownAs, value: i32) -> String {
    match shown {
        ShownAs::Symbol(list) if value != 0 => symbol(model, Some(list), value),
        ShownAs::Bool => if value == 0 { "false" } else { "true" }.to_string(),
        _ => value.to_string(),
    }
}

/// One scalar or channel of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// `x`, `a[2].f`, `P(1):y`, `queue 2 (c)`, `queue 3 (P(1):reply[1])`; in DVE's terms `P->y`, `c`.
    pub name: String,
    /// As its type shows it: a number, `true`, the name of a symbol. Of a channel its messages, the oldest
    /// first: `[1,red][2,green]`.
    pub value: String,
}

impl Interpreter<'_> {
    /// The values in a state: globals, then the variables of each process and the messages of each channel.
    /// Where the processes are is not among them.
    pub fn describe(&self, state: &MicroState) -> Vec<Item> {
        let mut items = Vec::new();
        let model = self.model();
        for variable in &model.globals {
            scalars(model, variable, 0, state.bytes(), "", &mut items);
        }
        self.describe_frames(state.bytes(), &mut items);
        items
    }

    /// What differs between two states: changed and new items.
    ///
    /// Runs may have millions of steps, of which each changes little. So names and values are made only of
    /// what lies in bytes that differ, as long as the same processes and channels stand in the same places.
    pub fn changes(&self, before: &MicroState, after: &MicroState) -> Vec<Item> {
        if let Some(items) = self.changes_in_place(before.bytes(), after.bytes()) {
            return items;
        }
        let old = self.describe(before);
        let mut known: std::collections::HashMap<&str, &str> =
            old.iter().map(|item| (item.name.as_str(), item.value.as_str())).collect();
        let new = self.describe(after);
        new.iter()
            .filter(|item| match known.remove(item.name.as_str()) {
                Some(value) => value != item.value,
                None => !matches!(item.value.as_str(), "0" | "false" | "[]"),
            })
            .cloned()
            .collect()
    }

    /// `None` if a frame stands elsewhere, is new or is gone.
    fn changes_in_place(&self, before: &[u8], after: &[u8]) -> Option<Vec<Item>> {
        let (model, layout) = (self.model(), self.layout());
        if before.len() != after.len() {
            return None;
        }
        let mut items = Vec::new();
        let compare =
            |variable: &Variable, base: usize, prefix: &dyn Fn() -> String, items: &mut Vec<Item>| {
                if differs(model, variable, base, before, after) {
                    let (mut old, mut new, prefix) = (Vec::new(), Vec::new(), prefix());
                    scalars(model, variable, base, before, &prefix, &mut old);
                    scalars(model, variable, base, after, &prefix, &mut new);
                    items
                        .extend(new.into_iter().zip(old).filter(|(new, old)| new != old).map(|(new, _)| new));
                }
            };
        for variable in &model.globals {
            compare(variable, 0, &String::new, &mut items);
        }
        let (mut pid, mut channel) = (0usize, ChannelPlace::default());
        let mut start = layout.frames_start;
        while start < after.len() {
            let tag = crate::interpreter::tag_at(after, start, layout);
            if crate::interpreter::tag_at(before, start, layout) != tag {
                return None;
            }
            if tag < layout.processes.len() {
                let process = &model.process_types[tag];
                let base = start + layout.processes[tag].header_size;
                for variable in &process.variables {
                    compare(variable, base, &|| self.variable_prefix(process, pid), &mut items);
                }
                start += layout.processes[tag].frame_size;
                channel.begin(tag, pid);
                pid += 1;
            } else {
                channel.advance();
                let ty = tag - layout.processes.len();
                let end = start + layout.channels[ty].frame_size;
                if before[start..end] != after[start..end] {
                    let value = self.describe_channel(ty, start, after);
                    if value != self.describe_channel(ty, start, before) {
                        items.push(Item { name: self.channel_name(&channel, ty), value });
                    }
                }
                start = end;
            }
        }
        Some(items)
    }

    /// What the names of a process's variables begin with.
    pub fn variable_prefix(&self, process: &ProcessType, pid: usize) -> String {
        match self.model().language {
            Language::Promela => format!("{}({pid}):", process.name),
            Language::Dve => format!("{}->", process.name),
        }
    }

    /// `queue 3 (P(1):reply[1])`, as Spin has it.
    fn channel_name(&self, place: &ChannelPlace, ty: usize) -> String {
        let model = self.model();
        if model.language == Language::Dve {
            return model.channel_types[ty].name.clone();
        }
        let prefix = place
            .owner
            .map_or(String::new(), |(process, pid)| self.variable_prefix(&model.process_types[process], pid));
        format!("queue {} ({prefix}{})", place.number, place.name(model, ty))
    }

    fn describe_frames(&self, bytes: &[u8], items: &mut Vec<Item>) {
        let (model, layout) = (self.model(), self.layout());
        let (mut pid, mut channel) = (0usize, ChannelPlace::default());
        let mut start = layout.frames_start;
        while start < bytes.len() {
            let tag = crate::interpreter::tag_at(bytes, start, layout);
            if tag < layout.processes.len() {
                let process = &model.process_types[tag];
                let prefix = self.variable_prefix(process, pid);
                for variable in &process.variables {
                    let base = start + layout.processes[tag].header_size;
                    scalars(model, variable, base, bytes, &prefix, items);
                }
                start += layout.processes[tag].frame_size;
                channel.begin(tag, pid);
                pid += 1;
            } else {
                channel.advance();
                let ty = tag - layout.processes.len();
                items.push(Item {
                    name: self.channel_name(&channel, ty),
                    value: self.describe_channel(ty, start, bytes),
                });
                start += layout.channels[ty].frame_size;
            }
        }
    }

    fn describe_channel(&self, ty: usize, start: usize, bytes: &[u8]) -> String {
        let (model, layout) = (self.model(), &self.layout().channels[ty]);
        if layout.capacity == 0 {
            return "[]".to_string();
        }
        let length =
            crate::interpreter::scalar_at(bytes, start + self.layout().tag_size, layout.length) as usize;
        let mut text = String::new();
        for slot in 0..length {
            let base = start + layout.header_size + slot * layout.message_size;
            let fields: Vec<String> = model.channel_types[ty]
                .fields
                .iter()
                .zip(&layout.field_offsets)
                .map(|(field, offset)| {
                    shown(
                        model,
                        field.shown,
                        crate::interpreter::scalar_at(bytes, base + offset, field.storage),
                    )
                })
                .collect();
            text.push_str(&format!("[{}]", fields.join(",")));
        }
        if text.is_empty() { "[]".to_string() } else { text }
    }
}

/// Which channel a frame is: frames are met from the front to the back of a state.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChannelPlace {
    /// From 1.
    pub number: usize,
    /// The type and the number of the process whose variable it was made for; `None` if that is a global one.
    pub owner: Option<(usize, usize)>,
    /// Among those of the same owner, from 1.
    among: usize,
}

impl ChannelPlace {
    /// The frame of a process is met, of this type and with this number: its channels follow.
    pub fn begin(&mut self, process: usize, pid: usize) {
        self.owner = Some((process, pid));
        self.among = 0;
    }

    /// The frame of a channel is met.
    pub fn advance(&mut self) {
        self.number += 1;
        self.among += 1;
    }

    /// The variable that the channel was made for: `reply[1]`, `link.to`. Its initialiser says where that
    /// lies.
    pub fn name(&self, model: &Model, ty: usize) -> String {
        let (list, variables) = match self.owner {
            Some((process, _)) => {
                let process = &model.process_types[process];
                (&process.initialise, &process.variables)
            }
            None => (&model.initialise, &model.globals),
        };
        let made = list.iter().filter(|init| matches!(init.value, InitialValue::NewChannel(_)));
        let place = made.skip(self.among.saturating_sub(1)).map(|init| &init.place).next();
        let name = place
            .filter(|place| place.indices.is_empty())
            .and_then(|place| name_at(model, variables, place.offset));
        name.unwrap_or_else(|| model.channel_types[ty].name.clone())
    }
}

/// The variable for a channel that lies there: `a`, `b[2]`, `c[1].f`.
fn name_at(model: &Model, variables: &[Variable], offset: u32) -> Option<String> {
    let (name, shown) = scalar_at(model, variables, offset)?;
    (shown == ShownAs::Channel).then_some(name)
}

/// The scalar that lies at a byte, by name: `a`, `b[2]`, `c[1].f`; and how people see its value.
pub fn scalar_at(model: &Model, variables: &[Variable], offset: u32) -> Option<(String, ShownAs)> {
    let covers = |variable: &&Variable| {
        let size = variable.element_size * variable.length.unwrap_or(1);
        (variable.offset..variable.offset + size).contains(&offset)
    };
    let variable = variables.iter().find(covers)?;
    let within = offset - variable.offset;
    let element = within / variable.element_size.max(1);
    let mut name = variable.name.clone();
    if variable.length.is_some() {
        name.push_str(&format!("[{element}]"));
    }
    match &variable.ty {
        Type::Scalar { shown, .. } => Some((name, *shown)),
        Type::Record(record) => {
            let fields = &model.record_types[record.0 as usize].fields;
            let (field, shown) = scalar_at(model, fields, within - element * variable.element_size)?;
            Some((format!("{name}.{field}"), shown))
        }
    }
}

/// The channel with this number, from 1, if it was made for a global variable: `reply[1]`.
pub fn global_channel(model: &Model, number: i32, ty: usize) -> String {
    let made = model.initialise.iter().filter(|init| matches!(init.value, InitialValue::NewChannel(_)));
    match usize::try_from(number) {
        Ok(number) if (1..=made.count()).contains(&number) => {
            ChannelPlace { number, owner: None, among: number }.name(model, ty)
        }
        _ => model.channel_types[ty].name.clone(),
    }
}

/// Names and values of all scalars of a variable.
fn scalars(
    model: &Model,
    variable: &Variable,
    base: usize,
    bytes: &[u8],
    prefix: &str,
    items: &mut Vec<Item>,
) {
    for element in 0..variable.length.unwrap_or(1) {
        let name = match variable.length {
            Some(_) => format!("{prefix}{}[{element}]", variable.name),
            None => format!("{prefix}{}", variable.name),
        };
        let at = base + variable.offset as usize + element as usize * variable.element_size as usize;
        match &variable.ty {
            Type::Scalar { shown: how, storage } => {
                let value = crate::interpreter::scalar_at(bytes, at, *storage);
                items.push(Item { name, value: shown(model, *how, value) });
            }
            Type::Record(record) => {
                for field in &model.record_types[record.0 as usize].fields {
                    scalars(model, field, at, bytes, &format!("{name}."), items);
                }
            }
        }
    }
}

/// Whether a scalar of a variable has another value.
fn differs(model: &Model, variable: &Variable, base: usize, before: &[u8], after: &[u8]) -> bool {
    let element_size = variable.element_size as usize;
    let start = base + variable.offset as usize;
    (0..variable.length.unwrap_or(1) as usize).map(|element| start + element * element_size).any(|at| {
        match &variable.ty {
            Type::Scalar { storage, .. } => {
                let value = |bytes| crate::interpreter::scalar_at(bytes, at, *storage);
                value(before) != value(after)
            }
            Type::Record(record) => {
                let fields = &model.record_types[record.0 as usize].fields;
                fields.iter().any(|field| differs(model, field, at, before, after))
            }
        }
    })
}
