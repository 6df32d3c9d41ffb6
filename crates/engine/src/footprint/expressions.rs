//! What is evaluated in a step: which bytes that reads, and which values are known beforehand.

use super::{Unknown, Walked, Walker};
use crate::interpreter::scalar_at;
use lariat_model::ir::*;
use std::ops::Range;

/// Of larger arrays, elements are not looked at one by one.
const MOST_ELEMENTS: usize = 256;

impl<'a> Walker<'a> {
    /// The numbers that a channel may have.
    pub(super) fn channels(&mut self, channel: &'a Expr) -> Walked<Vec<i32>> {
        Ok(match self.values(channel)? {
            Some(numbers) => numbers,
            // Any that there is. If there is none with that number, that is an error.
            None => (1..).take_while(|number| (self.ground.channels)(*number).is_some()).collect(),
        })
    }

    /// A channel that is read, and perhaps written: its capacity, if it exists.
    pub(super) fn channel(&mut self, number: i32, is_written: bool) -> Option<u32> {
        let (range, capacity) = (self.ground.channels)(number)?;
        if is_written {
            self.writes(range.clone());
        }
        self.reads(range);
        Some(capacity)
    }

    /// The frame of a process; without a number, of any of them.
    pub(super) fn frames(&self, pid: Option<i32>) -> Vec<Range<usize>> {
        let pids = match pid.map(usize::try_from) {
            Some(Ok(pid)) => pid..pid.saturating_add(1),
            Some(Err(_)) => 0..0,
            None => 0..self.ground.process_count,
        };
        // That there is none is a matter of the shape.
        pids.filter_map(|pid| (self.ground.processes)(pid)).map(|place| place.frame).collect()
    }

    fn reads_process(&mut self, pid: Option<i32>) {
        self.frames(pid).into_iter().for_each(|frame| self.reads(frame));
    }

    /// The number of the process that an expression names, or of the first one of the type; `None` if it
    /// is not known.
    fn other(&mut self, ty: ProcessTypeId, pid: Option<&'a Expr>) -> Walked<Option<i32>> {
        Ok(match pid {
            Some(pid) => self.expr(pid)?,
            None => {
                let is_first = |pid: &usize| {
                    (self.ground.processes)(*pid).is_some_and(|place| place.ty == ty.0 as usize)
                };
                let first = (0..self.ground.process_count).find(is_first);
                Some(first.map_or(-1, |pid| pid as i32))
            }
        })
    }

    /// The bytes that a place may have, counted from its base, as far as its indices are known.
    fn reach(&mut self, place: &'a Place) -> Walked<Range<usize>> {
        let mut start = place.offset as usize;
        let mut end = start + place.storage.size() as usize;
        for index in &place.indices {
            match self.index(index)? {
                Some(value) => {
                    start += value * index.stride as usize;
                    end += value * index.stride as usize;
                }
                None => end += (index.length.saturating_sub(1) * index.stride) as usize,
            }
        }
        Ok(start..end)
    }

    /// A place that is read: its value, if that is known.
    fn place(&mut self, place: &'a Place) -> Walked<Option<i32>> {
        let reach = self.reach(place)?;
        let is_one = reach.len() == place.storage.size() as usize;
        match &place.base {
            Base::Global if is_one => {
                let constant = (self.ground.constant)(reach.start as u32, place.storage);
                if constant.is_none() {
                    self.reads(reach);
                }
                Ok(constant)
            }
            Base::Global => {
                if self.elements(place)?.is_none() {
                    self.reads(reach);
                }
                Ok(None)
            }
            Base::Local if is_one => Ok(self.local(reach.start, place.storage)),
            Base::Local | Base::Nowhere => Ok(None),
            Base::Remote { process, pid } => {
                let pid = self.other(*process, pid.as_deref())?;
                self.reads_process(pid);
                Ok(None)
            }
            Base::Priority => Err(Unknown),
        }
    }

    /// A place that is written, and what says where it is.
    pub(super) fn written(&mut self, place: &'a Place) -> Walked {
        let reach = self.reach(place)?;
        match &place.base {
            Base::Global => self.writes(reach),
            Base::Local | Base::Nowhere => {}
            Base::Remote { process, pid } => {
                let pid = self.other(*process, pid.as_deref())?;
                self.frames(pid).into_iter().for_each(|frame| self.writes(frame));
            }
            Base::Priority => return Err(Unknown),
        }
        Ok(())
    }

    /// The number of an element, if it is known and there is such an element.
    fn index(&mut self, index: &'a Index) -> Walked<Option<usize>> {
        let value = self.expr(&index.value)?;
        Ok(value.filter(|value| (0..index.length as i32).contains(value)).map(|value| value as usize))
    }

    /// The values that a place may have, if all of them are known.
    fn elements(&mut self, place: &'a Place) -> Walked<Option<Vec<i32>>> {
        let mut starts = vec![place.offset as usize];
        for index in &place.indices {
            let numbers = match self.index(index)? {
                Some(number) => number..number + 1,
                None => 0..index.length as usize,
            };
            if starts.len() * numbers.len() > MOST_ELEMENTS {
                return Ok(None);
            }
            let stride = index.stride as usize;
            starts = starts
                .iter()
                .flat_map(|start| numbers.clone().map(move |number| start + number * stride))
                .collect();
        }
        let value = |start: usize| match place.base {
            Base::Global => (self.ground.constant)(start as u32, place.storage),
            Base::Local => self.local(start, place.storage),
            _ => None,
        };
        Ok(starts.into_iter().map(value).collect())
    }

    /// The values that an expression may have, if all of them are known.
    pub(super) fn values(&mut self, expr: &'a Expr) -> Walked<Option<Vec<i32>>> {
        if let Some(value) = self.expr(expr)? {
            return Ok(Some(vec![value]));
        }
        let mut values = Vec::new();
        let mut waiting = vec![expr];
        while let Some(expr) = waiting.pop() {
            if let Some(value) = self.expr(expr)? {
                values.push(value);
                continue;
            }
            match expr {
                Expr::Load(place) => match self.elements(place)? {
                    Some(elements) => values.extend(elements),
                    None => return Ok(None),
                },
                Expr::Conditional(parts) => waiting.extend([&parts.1, &parts.2]),
                _ => return Ok(None),
            }
        }
        Ok(Some(values))
    }

    fn local(&self, offset: usize, storage: Storage) -> Option<i32> {
        let known = self.known.get(offset..offset + storage.size() as usize)?;
        let is_known = known.iter().all(|known| *known);
        is_known.then(|| scalar_at(self.ground.bytes, self.variables + offset, storage))
    }

    /// An expression that is evaluated, or may be: its value, if that is known.
    pub(super) fn expr(&mut self, expr: &'a Expr) -> Walked<Option<i32>> {
        Ok(match expr {
            Expr::Constant(value) => Some(*value),
            Expr::Global { offset, storage } => {
                let constant = (self.ground.constant)(*offset, *storage);
                if constant.is_none() {
                    let start = *offset as usize;
                    self.reads(start..start + storage.size() as usize);
                }
                constant
            }
            Expr::Local { offset, storage } => self.local(*offset as usize, *storage),
            Expr::Load(place) => self.place(place)?,
            Expr::Unary(operator, value) => self.expr(value)?.map(|value| operator.apply(value)),
            Expr::Binary(operator, sides) => {
                let left = self.expr(&sides.0)?;
                if let Some(value) = left.and_then(|left| operator.decided_by(left)) {
                    return Ok(Some(value));
                }
                let right = self.expr(&sides.1)?;
                left.zip(right).and_then(|(left, right)| operator.apply(left, right))
            }
            Expr::Conditional(parts) => match self.expr(&parts.0)? {
                Some(0) => self.expr(&parts.2)?,
                Some(_) => self.expr(&parts.1)?,
                None => {
                    self.expr(&parts.1)?;
                    self.expr(&parts.2)?;
                    None
                }
            },
            Expr::Pid => Some(self.pid as i32),
            // The shape of the state says how many there are.
            Expr::ProcessCount => Some(self.ground.process_count as i32),
            // Something can happen.
            Expr::Timeout => Some(0),
            Expr::Len(channel) | Expr::Test(_, channel) => {
                for number in self.channels(channel)? {
                    self.channel(number, false);
                }
                None
            }
            Expr::Poll(receive) => {
                self.poll(receive)?;
                None
            }
            Expr::LocationOf(pid) => {
                let pid = self.expr(pid)?;
                self.reads_process(pid);
                None
            }
            Expr::RemoteLabel { process, pid, .. } => {
                let pid = self.other(*process, pid.as_deref())?;
                self.reads_process(pid);
                None
            }
            Expr::Last
            | Expr::Priority
            | Expr::Enabled(_)
            | Expr::GetPriority(_)
            | Expr::NonProgress
            | Expr::Acceptance
            | Expr::RunResult => return Err(Unknown),
        })
    }

    /// A question whether a message could be received.
    fn poll(&mut self, receive: &'a Receive) -> Walked {
        for number in self.channels(&receive.channel)? {
            self.channel(number, false);
        }
        for argument in &receive.arguments {
            match argument {
                ReceiveArgument::Match(expr) => drop(self.expr(expr)?),
                // Nothing is stored.
                ReceiveArgument::Store(_) | ReceiveArgument::Drop => {}
            }
        }
        Ok(())
    }
}
