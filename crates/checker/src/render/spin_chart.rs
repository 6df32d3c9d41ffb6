//! The message sequence chart of a run, for `lariat spin -M`: what Spin draws with Tcl/Tk, as SVG.
//!
//! A column for each process, a row for each message that is sent or received, and for each line that the
//! model prints with `MSC: ` in front, as in Spin. A handshake is an arrow with two ends; a message in a
//! buffer is an arrow from the row in which it was sent to the row in which it was taken: the oldest message
//! of that channel with the same text that has not been taken. Other statements have no row.

use std::collections::BTreeMap;
use std::fmt::Write;

/// More rows are not drawn. (Spin stops a run there.)
const MOST_ROWS: usize = 4_096;
const COLUMN: usize = 160;
const ROW: usize = 24;
const LEFT: usize = 60;
const TOP: usize = 44;
/// A text of a row is cut behind so many characters, to fit its column.
const WIDEST: usize = 20;

/// What a row shows.
#[derive(Clone, Debug, PartialEq, Eq)]
enum What {
    Sends,
    Receives,
    Says,
}

#[derive(Clone, Debug)]
struct Row {
    depth: u64,
    pid: u16,
    what: What,
    text: String,
}

/// An arrow from one row to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Arrow {
    from: usize,
    to: usize,
    handshake: bool,
}

/// A chart that grows with the run.
#[derive(Clone, Debug, Default)]
pub struct SpinChart {
    names: BTreeMap<u16, String>,
    rows: Vec<Row>,
    arrows: Vec<Arrow>,
    /// Rows of messages in buffers, by channel and text, the oldest first.
    waiting: Vec<(String, String, usize)>,
    not_drawn: u64,
}

impl SpinChart {
    /// A process that exists now. A number may be used again when its process has ended.
    pub fn process(&mut self, pid: u16, name: &str) {
        let known = self.names.entry(pid).or_default();
        if !known.split(' ').any(|part| part == name) {
            *known = if known.is_empty() { name.to_string() } else { format!("{known} {name}") };
        }
    }

    fn add(&mut self, row: Row) -> Option<usize> {
        if self.rows.len() == MOST_ROWS {
            self.not_drawn += 1;
            return None;
        }
        self.rows.push(row);
        Some(self.rows.len() - 1)
    }

    /// What a process prints: a row for each line that begins with `MSC: `.
    pub fn says(&mut self, depth: u64, pid: u16, printed: &str) {
        for line in printed.lines().filter_map(|line| line.strip_prefix("MSC: ")) {
            self.add(Row { depth, pid, what: What::Says, text: line.to_string() });
        }
    }

    /// A message is handed over.
    pub fn handshake(&mut self, depth: u64, sender: (u16, &str), receiver: (u16, &str), message: &str) {
        let row = |(pid, name): (u16, &str), what, sign| Row {
            depth,
            pid,
            what,
            text: format!("{name}{sign}{message}"),
        };
        let from = self.add(row(sender, What::Sends, '!'));
        let to = self.add(row(receiver, What::Receives, '?'));
        if let (Some(from), Some(to)) = (from, to) {
            self.arrows.push(Arrow { from, to, handshake: true });
        }
    }

    /// A message goes into a buffer: `queue` is the channel, `name` what the process calls it.
    pub fn sends(&mut self, depth: u64, pid: u16, (queue, name): (&str, &str), message: &str) {
        let row = Row { depth, pid, what: What::Sends, text: format!("{name}!{message}") };
        if let Some(row) = self.add(row) {
            self.waiting.push((queue.to_string(), message.to_string(), row));
        }
    }

    /// A message is taken out of a buffer.
    pub fn receives(&mut self, depth: u64, pid: u16, (queue, name): (&str, &str), message: &str) {
        let row = Row { depth, pid, what: What::Receives, text: format!("{name}?{message}") };
        let is_sent = |(of, text, _): &(String, String, usize)| of == queue && text == message;
        let sent = self.waiting.iter().position(is_sent).map(|place| self.waiting.remove(place).2);
        if let (Some(from), Some(to)) = (sent, self.add(row)) {
            self.arrows.push(Arrow { from, to, handshake: false });
        }
    }

    /// The picture.
    pub fn svg(&self, title: &str) -> String {
        let columns: BTreeMap<u16, usize> =
            self.names.keys().enumerate().map(|(k, pid)| (*pid, LEFT + COLUMN / 2 + k * COLUMN)).collect();
        let x = |pid: u16| columns.get(&pid).copied().unwrap_or(LEFT);
        let y = |row: usize| TOP + ROW + row * ROW;
        let width = LEFT + self.names.len().max(1) * COLUMN;
        let bottom = y(self.rows.len());
        let height = bottom + ROW;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n<title>{}</title>\n\
             <defs>\n<marker id=\"end\" viewBox=\"0 0 10 10\" refX=\"10\" refY=\"5\" markerWidth=\"7\" \
             markerHeight=\"7\" orient=\"auto-start-reverse\"><path d=\"M0 0L10 5L0 10z\" fill=\"#226\"/></marker>\n\
             </defs>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
            escaped(title)
        );
        for (pid, name) in &self.names {
            let (x, name) = (x(*pid), escaped(&cut(&format!("{pid}:{name}"))));
            let _ = writeln!(
                out,
                "<line x1=\"{x}\" y1=\"{TOP}\" x2=\"{x}\" y2=\"{bottom}\" stroke=\"#bbb\"/>\n\
                 <rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"22\" fill=\"#fffff0\" stroke=\"#000\"/>\n\
                 <text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{name}</text>",
                x - COLUMN / 2 + 8,
                TOP - 22,
                COLUMN - 16,
                TOP - 7
            );
        }
        for Arrow { from, to, handshake } in &self.arrows {
            let (one, two) = (&self.rows[*from], &self.rows[*to]);
            let (x1, y1, x2, y2) = (x(one.pid), y(*from) + 4, x(two.pid), y(*to) + 4);
            let (colour, start) = match handshake {
                true => ("#800", " marker-start=\"url(#end)\""),
                false => ("#226", ""),
            };
            let shape = match one.pid == two.pid {
                // To oneself: a bow beside the line.
                true => format!("M{x1} {y1}C{} {y1} {} {y2} {x2} {y2}", x1 + 70, x1 + 70),
                false => format!("M{x1} {y1}L{x2} {y2}"),
            };
            let _ = writeln!(
                out,
                "<path d=\"{shape}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\" marker-end=\"url(#end)\"{start}/>"
            );
        }
        for (k, row) in self.rows.iter().enumerate() {
            let (x, y) = (x(row.pid), y(k));
            let colour = match row.what {
                What::Sends | What::Receives => "#000",
                What::Says => "#060",
            };
            let _ = writeln!(
                out,
                "<text x=\"{}\" y=\"{y}\" text-anchor=\"end\" fill=\"#666\">{}</text>\n\
                 <text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\" fill=\"{colour}\" stroke=\"#fff\" \
                 stroke-width=\"3\" paint-order=\"stroke\">{}</text>",
                LEFT - 12,
                row.depth,
                escaped(&cut(&row.text))
            );
        }
        if self.not_drawn > 0 {
            let _ = writeln!(
                out,
                "<text x=\"{LEFT}\" y=\"{}\">and {} further messages, which are not drawn</text>",
                bottom + 4,
                self.not_drawn
            );
        }
        out.push_str("</svg>\n");
        out
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(WIDEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            // XML knows no other.
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::{Arrow, MOST_ROWS, SpinChart};

    #[test]
    fn messages_are_joined() {
        let mut chart = SpinChart::default();
        chart.process(0, "A");
        chart.process(1, "B");
        chart.handshake(1, (0, "c"), (1, "in"), "x");
        chart.sends(3, 0, ("queue 2", "d"), "1");
        chart.sends(4, 0, ("queue 3", "e"), "1");
        chart.sends(5, 0, ("queue 2", "d"), "2");
        chart.receives(6, 1, ("queue 2", "d"), "2");
        chart.receives(7, 1, ("queue 2", "d"), "1");
        chart.says(8, 1, "nothing\nMSC: done <&>\n");
        let arrows: Vec<(usize, usize)> =
            chart.arrows.iter().map(|Arrow { from, to, .. }| (*from, *to)).collect();
        assert_eq!(arrows, [(0, 1), (4, 5), (2, 6)]);
        let svg = chart.svg("a \"name\"");
        for text in
            ["0:A", "1:B", "c!x", "in?x", "d!2", "done &lt;&amp;&gt;", "<title>a &quot;name&quot;</title>"]
        {
            assert!(svg.contains(text), "{text} in {svg}");
        }
        assert!(!svg.contains("nothing") && svg.matches("<path d=\"M").count() == 4);
    }

    #[test]
    fn long_charts_end() {
        let mut chart = SpinChart::default();
        chart.process(0, "A");
        for k in 0..MOST_ROWS as u64 + 7 {
            chart.sends(k, 0, ("queue 1", "c"), "1");
        }
        assert!(chart.svg("").contains("and 7 further messages"));
    }
}
