//! Declarations: symbolic constants, records, macros, global and local variables.
//!
//! Each declaration extends the scope by the places it makes. The product of the ranges of all variables is
//! kept under a limit that is drawn per model; a variable that would exceed it gets a range of two values or
//! is left out.

use super::Generator;
use super::scope::*;
use crate::model::*;

impl Generator<'_> {
    pub(crate) fn plan_mtypes(&mut self) {
        let messages = ["request", "grant", "refuse"];
        let count = 2 + self.random.below(2);
        let names = messages[..count].iter().map(|name| name.to_string()).collect();
        self.mtypes.push(MtypeDeclaration { subtype: None, names });
        if self.random.chance(45) {
            let names = ["red", "green"].iter().map(|name| name.to_string()).collect();
            self.mtypes.push(MtypeDeclaration { subtype: Some("colour".to_string()), names });
        }
    }

    pub(crate) fn plan_records(&mut self) {
        let field = |type_name, name: &str, length, initial| Declaration {
            prefix: None,
            type_name,
            name: name.to_string(),
            length,
            initial,
        };
        let mut flat = vec![field(TypeName::Byte, "left", None, Initial::Nothing)];
        if self.random.chance(30) {
            flat[0].initial = Initial::Value(number(1));
        }
        if self.random.chance(60) {
            let type_name = self.random.pick(&[TypeName::Bit, TypeName::Bool, TypeName::Unsigned(2)]).clone();
            flat.push(field(type_name, "right", None, Initial::Nothing));
        }
        // Messages cannot carry fields with a width.
        if flat.iter().all(|field| !matches!(field.type_name, TypeName::Unsigned(_))) {
            self.flat_records.push("Pair".to_string());
        }
        self.records.push(RecordType { name: "Pair".to_string(), fields: flat });
        if self.random.chance(60) {
            let length = self.random.chance(40).then_some(2);
            let mut fields =
                vec![field(TypeName::Record("Pair".to_string()), "pair", length, Initial::Nothing)];
            if self.random.chance(50) {
                let type_name = if self.profile.signed { TypeName::Short } else { TypeName::Byte };
                fields.push(field(type_name, "count", None, Initial::Nothing));
            }
            if self.random.chance(40) {
                fields.push(field(TypeName::Bit, "flags", Some(2), Initial::Nothing));
            }
            self.records.push(RecordType { name: "Outer".to_string(), fields });
        }
    }

    pub(crate) fn plan_macros(&mut self, globals: &Scope) {
        if self.random.chance(60) {
            let body = number(self.random.between(1, 3));
            self.macros.push(Macro { name: "LIMIT".to_string(), parameters: vec![], body });
            self.constants.push("LIMIT".to_string());
        }
        if self.random.chance(60) {
            let operand = Expression::name("a");
            let sum = Expression::binary("+", operand, number(self.random.between(1, 2)));
            let body = Expression::binary("%", sum, number(self.random.between(2, 3)));
            self.macros.push(Macro { name: "NEXT".to_string(), parameters: vec!["a".to_string()], body });
            self.function_macros.push("NEXT".to_string());
        }
        self.plain = true;
        if self.random.chance(60) {
            let body = self.condition(globals, 1);
            self.macros.push(Macro { name: "ready".to_string(), parameters: vec![], body });
            self.condition_macros.push("ready".to_string());
        }
        self.plain = false;
    }

    pub(crate) fn scalar_type(&mut self) -> (TypeName, i64) {
        let modulus = self.random.between(2, 4);
        let kinds = [(40, 0), (10, 1), (10, 2), (9, 3), (9, 4), (10, 5), (4, 6), (22, 7)];
        match self.random.weighted(&kinds) {
            1 => (TypeName::Bit, 2),
            2 => (TypeName::Bool, 2),
            3 if self.profile.signed => (TypeName::Short, modulus),
            4 if self.profile.signed => (TypeName::Int, modulus),
            5 => {
                let width = 1 + self.random.below(3) as u32;
                (TypeName::Unsigned(width), 4.min(1 << width))
            }
            6 => (TypeName::Pid, modulus),
            7 if self.profile.mtypes => {
                let declaration = self.random.pick(&self.mtypes);
                (TypeName::Mtype(declaration.subtype.clone()), declaration.names.len() as i64 + 1)
            }
            _ => (TypeName::Byte, modulus),
        }
    }

    fn initial_value(&mut self, type_name: &TypeName, modulus: i64) -> Expression {
        match type_name {
            TypeName::Mtype(subtype) => self.mtype_constant(subtype),
            TypeName::Bool if self.random.chance(50) => {
                Expression::name(if self.random.chance(50) { "true" } else { "false" })
            }
            TypeName::Short | TypeName::Int if self.random.chance(30) => number(-1),
            _ => number(self.random.below(modulus as usize) as i64),
        }
    }

    /// A variable, an array or a record, added to the scope; nothing when the model has enough of them.
    pub(crate) fn declare(&mut self, scope: &mut Scope, name: &str, global: bool) -> Option<Declaration> {
        if self.profile.records && self.random.chance(30) {
            return self.declare_record(scope, name, global);
        }
        let array = self.profile.arrays && self.random.chance(35);
        self.declare_numbers(scope, name, global, array)
    }

    /// A variable of a scalar type, or an array of them.
    fn declare_numbers(
        &mut self,
        scope: &mut Scope,
        name: &str,
        global: bool,
        array: bool,
    ) -> Option<Declaration> {
        let (type_name, mut modulus) = self.scalar_type();
        let array = array && !matches!(type_name, TypeName::Unsigned(_));
        let length = array.then(|| 2 + self.random.below(2) as u32);
        // The elements of an array are seldom all different: two of them count.
        let mut states = modulus.pow(length.map_or(1, |_| 2));
        if states > self.domain {
            modulus = 2;
            states = length.map_or(2, |_| 3);
            if states > self.domain {
                return None;
            }
        }
        self.domain /= states;
        let initial = if !self.random.chance(50) {
            Initial::Nothing
        } else if let Some(length) = length
            && self.random.chance(60)
        {
            // A list takes no signs.
            let unsigned = if type_name.is_number() { TypeName::Byte } else { type_name.clone() };
            Initial::List((0..length).map(|_| self.initial_value(&unsigned, modulus)).collect())
        } else {
            Initial::Value(self.initial_value(&type_name, modulus))
        };
        if let Some(length) = length
            && type_name.is_number()
        {
            scope.arrays.push((name.to_string(), length));
        }
        scope.places.push(Place {
            path: vec![(name.to_string(), length)],
            modulus,
            writable: true,
            readable: true,
            indexable: type_name.is_unsigned(),
            type_name: type_name.clone(),
            global,
        });
        let prefix =
            if global && self.random.chance(8) { Some(*self.random.pick(&["local", "show"])) } else { None };
        Some(Declaration { prefix, type_name, name: name.to_string(), length, initial })
    }

    /// One record and one array that all processes share, if the model has such things at all.
    pub(crate) fn declare_showpieces(&mut self, scope: &mut Scope) -> Vec<Declaration> {
        let room = self.domain;
        let mut declarations = Vec::new();
        if self.profile.records && self.random.chance(70) {
            self.domain = room.max(16);
            declarations.extend(self.declare_record(scope, "store", true));
        }
        if self.profile.arrays && self.random.chance(70) {
            self.domain = room.max(16);
            declarations.extend(self.declare_numbers(scope, "row", true, true));
        }
        self.domain = if declarations.is_empty() { room } else { (room / 3).max(2) };
        declarations
    }

    fn declare_record(&mut self, scope: &mut Scope, name: &str, global: bool) -> Option<Declaration> {
        let record = self.random.pick(&self.records).clone();
        let length = self.random.chance(20).then_some(2);
        let before = scope.places.len();
        let path = vec![(name.to_string(), length)];
        self.add_leaves(scope, &path, &record.name, global);
        let states = (scope.places.len() - before) as i64 + 1;
        if states > self.domain {
            scope.places.truncate(before);
            scope.records.retain(|place| place.path[0].0 != name);
            return None;
        }
        self.domain /= states;
        let type_name = TypeName::Record(record.name);
        Some(Declaration {
            prefix: None,
            type_name,
            name: name.to_string(),
            length,
            initial: Initial::Nothing,
        })
    }

    fn add_leaves(&mut self, scope: &mut Scope, path: &Path, record: &str, global: bool) {
        scope.records.push(RecordPlace { path: path.clone(), record: record.to_string() });
        let fields = self.records.iter().find(|known| known.name == record).map(|known| known.fields.clone());
        for field in fields.unwrap_or_default() {
            let mut path = path.clone();
            path.push((field.name, field.length));
            if let TypeName::Record(inner) = &field.type_name {
                self.add_leaves(scope, &path, inner, global);
                continue;
            }
            scope.places.push(Place {
                path,
                modulus: 2,
                writable: true,
                readable: true,
                indexable: field.type_name.is_unsigned(),
                type_name: field.type_name,
                global,
            });
        }
    }

    /// A variable outside of the state: it is written and never read, so that it makes no difference.
    pub(crate) fn declare_hidden(&mut self, scope: &mut Scope, name: &str) -> Declaration {
        scope.places.push(Place {
            path: vec![(name.to_string(), None)],
            type_name: TypeName::Byte,
            modulus: 4,
            writable: true,
            readable: false,
            indexable: false,
            global: true,
        });
        let prefix = Some("hidden");
        Declaration {
            prefix,
            type_name: TypeName::Byte,
            name: name.to_string(),
            length: None,
            initial: Initial::Nothing,
        }
    }

    /// A variable that holds a channel of the given scope from the beginning.
    pub(crate) fn declare_channel_variable(&mut self, scope: &mut Scope, name: &str) -> Option<Declaration> {
        let fixed = |_: &ChannelClass, place: &ChannelPlace| {
            place.lasting && place.path.len() == 1 && !place.variable
        };
        let channel = self.pick_channel(scope, fixed)?;
        let reference = refer(&channel.path, |_| number(0));
        scope.channels.push(ChannelPlace {
            path: vec![(name.to_string(), None)],
            class: channel.class,
            variable: true,
            lasting: true,
        });
        Some(Declaration {
            prefix: None,
            type_name: TypeName::Chan,
            name: name.to_string(),
            length: None,
            initial: Initial::Value(Expression::Variable(reference)),
        })
    }
}
