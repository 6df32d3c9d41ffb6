//! What the parser makes of texts: precedences, what may be left out, and where errors are reported.

use lariat_dve::ast::{BinaryOperator, Direction, Expr, ExprKind, Mode, UnaryOperator};
use lariat_dve::{parse_expression, parse_text};
use lariat_source::SourceMap;

/// An expression with all its brackets.
fn bracketed(expression: &Expr) -> String {
    use BinaryOperator::*;
    match &expression.kind {
        ExprKind::Number(number) => number.to_string(),
        ExprKind::Variable(reference) => match &reference.index {
            Some(index) => format!("{}[{}]", reference.name.text, bracketed(index)),
            None => reference.name.text.clone(),
        },
        ExprKind::Foreign(process, reference) => format!("{}->{}", process.text, reference.name.text),
        ExprKind::InState(process, state) => format!("{}.{}", process.text, state.text),
        ExprKind::Unary(operator, operand) => {
            let sign = match operator {
                UnaryOperator::Not => "!",
                UnaryOperator::Complement => "~",
                UnaryOperator::Negate => "-",
            };
            format!("{sign}{}", bracketed(operand))
        }
        ExprKind::Binary(operator, operands) => {
            let sign = match operator {
                Imply => "imply",
                Or => "or",
                And => "and",
                BitOr => "|",
                BitXor => "^",
                BitAnd => "&",
                Equal => "==",
                NotEqual => "!=",
                Less => "<",
                LessEqual => "<=",
                Greater => ">",
                GreaterEqual => ">=",
                ShiftLeft => "<<",
                ShiftRight => ">>",
                Add => "+",
                Subtract => "-",
                Multiply => "*",
                Divide => "/",
                Remainder => "%",
            };
            format!("({} {sign} {})", bracketed(&operands.0), bracketed(&operands.1))
        }
        ExprKind::Broken => "?".to_string(),
    }
}

#[test]
fn operators_bind_as_in_c() {
    for (text, reading) in [
        ("a - b - c", "((a - b) - c)"),
        ("a + b * c % d", "(a + ((b * c) % d))"),
        ("a << 1 + b < c", "((a << (1 + b)) < c)"),
        ("a & b == c", "(a & (b == c))"),
        ("a | b ^ c & d", "(a | (b ^ (c & d)))"),
        ("a or b and c", "(a or (b and c))"),
        ("a || b && not c", "(a or (b and !c))"),
        ("a imply b or c", "(a imply (b or c))"),
        ("a imply b imply c", "((a imply b) imply c)"),
        ("not a == b", "(!a == b)"),
        ("not P.q and x", "(!P.q and x)"),
        ("-a[i + 1] - ~b", "(-a[(i + 1)] - ~b)"),
        ("P->x->y", "?"),
        ("P->x > 2", "(P->x > 2)"),
        ("P:x > 2", "(P->x > 2)"),
        ("P.a + P.b >= 1", "((P.a + P.b) >= 1)"),
        ("true and !false", "(1 and !0)"),
    ] {
        let (expression, messages) =
            parse_expression("<test>", text.to_string().into(), &mut SourceMap::new());
        match reading {
            "?" => assert!(!messages.is_empty(), "{text}"),
            _ => assert_eq!((bracketed(&expression).as_str(), messages.len()), (reading, 0), "{text}"),
        }
    }
}

#[test]
fn what_may_be_left_out() {
    let text = "const byte N = 3; byte a[N] = {1, 2}, b = N; int c = -1; // a comment
        channel d, e; channel {byte, int} f[4]; /* another */
        process P { byte l; state q, r; init q; commit r; accept r; assert q: l < 3, r: l == 3;
            trans q -> r { guard b == 0 and not l; sync d!b + 1; effect l = 1, a[l] = b; }, -> q {}, r -> r { sync f?{l, c}; },; }
        process Q { state q; init q; }
        process R { state q; init q; trans ; }
        system async property R;";
    let (model, messages) = parse_text("t.dve", text, &mut SourceMap::new());
    assert!(messages.is_empty(), "{messages:?}");
    assert_eq!((model.variables.len(), model.channels.len(), model.processes.len()), (4, 3, 3));
    let process = &model.processes[0];
    assert_eq!((process.states.len(), process.commit.len(), process.assertions.len()), (2, 1, 2));
    let sources: Vec<&str> = process.transitions.iter().map(|t| t.source.text.as_str()).collect();
    assert_eq!(sources, ["q", "q", "r"]);
    let first = &process.transitions[0];
    let sync = first.sync.as_ref().unwrap();
    assert_eq!((sync.direction, bracketed(&sync.values[0]).as_str()), (Direction::Send, "(b + 1)"));
    assert_eq!(first.effects.len(), 2);
    let system = model.system.unwrap();
    assert_eq!((system.mode, system.property.unwrap().text.as_str()), (Mode::Async, "R"));
}

#[test]
fn errors_do_not_hide_what_follows() {
    let text =
        "byte x y; process P { state q; init q; trans q -> q { guard x ==; }, q -> q { effect x = 1; }; }
        process Q { state q; init q; trans q -> q { sync c!1; }; } system async;";
    let (model, messages) = parse_text("t.dve", text, &mut SourceMap::new());
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert_eq!(model.processes.len(), 2);
    assert_eq!(model.processes[0].transitions.len(), 2);
}
