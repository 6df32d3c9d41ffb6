//! The printed form: it reads back, and nothing makes the parser panic.

mod random_models;

use expect_test::expect;
use lariat_model::ir::*;
use lariat_model::text::{MAX_HEIGHT, MAX_NESTING, TextError, parse, print};
use random_models::{SplitMix64, Temper, model as random_model};

#[track_caller]
fn check_round_trip(model: &Model) {
    let text = print(model);
    match parse(&text) {
        Ok(again) => {
            assert!(again == *model, "another model comes back from\n{text}");
            assert_eq!(print(&again), text);
        }
        Err(error) => panic!("{error}\n{text}"),
    }
}

#[test]
fn random_models_come_back() {
    for seed in 0..1500 {
        check_round_trip(&random_model(Temper::Tame, seed));
    }
    for seed in 0..1000 {
        check_round_trip(&random_model(Temper::Wild, seed));
    }
}

#[test]
fn damaged_text_does_not_panic() {
    let mut random = SplitMix64::new(7);
    let alphabet: Vec<char> = " \n\t;\"\\#@(){}[].,:+-*/%&|^<>=!~?0123456789glpscruei_→\0".chars().collect();
    let words = [
        "->",
        "program {",
        "node 0",
        "set",
        "when",
        "g0.u8",
        "4294967296",
        "18446744073709551616",
        "\\u{d800}",
        "end",
        "(",
    ];
    let mut refused = 0;
    for seed in 0..3000 {
        let mut text: Vec<char> = print(&random_model(Temper::Tame, seed % 400)).chars().collect();
        for _ in 0..1 + random.below(4) {
            let at = random.below(text.len() + 1);
            match random.below(6) {
                0 => text.truncate(at),
                1 if at < text.len() => drop(text.remove(at)),
                2 => text.insert(at, random.pick(&alphabet)),
                3 if at < text.len() => text[at] = random.pick(&alphabet),
                4 => drop(text.splice(at..at, random.pick(&words).chars())),
                _ => {
                    let to = (at + random.below(40)).min(text.len());
                    let piece: Vec<char> = text.drain(at..to).collect();
                    let at = random.below(text.len() + 1);
                    text.splice(at..at, piece);
                }
            }
        }
        let text: String = text.into_iter().collect();
        match parse(&text) {
            Ok(model) => {
                lariat_model::verify::verify(&model);
                check_round_trip(&model);
            }
            Err(TextError { line, column, message }) => {
                let there = text.split('\n').nth(line as usize - 1);
                assert!(
                    there.is_some_and(|there| column as usize <= there.chars().count() + 1),
                    "{line}:{column} {message}"
                );
                refused += 1;
            }
        }
    }
    assert!(refused > 1500, "only {refused} texts were refused");
}

/// A text with one transition, whose action is given.
fn with_action(action: &str) -> String {
    format!(
        "lariat-ir 1\nmodel \"m\"\nglobals size 0 hidden 0\nprocess p0 \"P\" start 1 size 0 parameters 0\n  \
         statement 0 \"\"\n  location 0\n  location 1\n    -> 1 #0 {action}\n"
    )
}

#[test]
fn deep_nesting_is_refused_and_no_more() {
    let parentheses = |n: usize| with_action(&format!("when {}1{}", "(".repeat(n), ")".repeat(n)));
    let unary = |n: usize| with_action(&format!("when {}1", "!".repeat(n)));
    let programs = |n: usize| {
        with_action(&format!("{}skip\n{}", "program {\n node 0 do -> 0 #0 ".repeat(n), "}\n".repeat(n)))
    };
    let indices = |n: usize| with_action(&format!("when {}1{}", "g0[".repeat(n), " of 1 by 1].u8".repeat(n)));
    let calls = |n: usize| with_action(&format!("when {}1{}", "poll(".repeat(n), ":)".repeat(n)));
    let left = |n: usize| with_action(&format!("when 1{}", " + 1".repeat(n)));
    let (nesting, height) = (MAX_NESTING as usize, MAX_HEIGHT as usize);
    for (make, limit) in [
        (&parentheses as &dyn Fn(usize) -> String, nesting),
        (&unary, nesting),
        (&programs, nesting),
        (&indices, nesting),
        (&calls, nesting),
        (&left, height),
    ] {
        let model = parse(&make(limit - 2)).unwrap();
        assert_eq!(parse(&print(&model)).unwrap(), model);
        for far in [limit + 1, 100_000] {
            let message = parse(&make(far)).unwrap_err().message;
            assert!(message.contains("too deep"), "{message}");
        }
    }
    // Long chains inside of long chains add up.
    let mut text = "1".to_string();
    for operator in [" + 1", " * 1", " - 1"] {
        text = format!("({text}{})", operator.repeat(height / 2));
    }
    assert!(parse(&with_action(&format!("when {text}"))).unwrap_err().message.contains("too deep"));
}

#[test]
fn operators_are_unambiguous() {
    for (text, message) in [
        ("when 1 + 2 + 3", None),
        ("when 1 - 2 - 3", None),
        ("when (1 + 2) * 3", None),
        ("when -(5)", None),
        ("when -5 - -5", None),
        ("when !!~-g0.u8", None),
        ("when --g0.u8", None),
        ("when (1 ? 2 : 3) + (4 == 5 ? 6 : 7)", None),
        ("when 1 + 2 * 3", Some("parentheses")),
        ("when 1 < 2 < 3", Some("parentheses")),
        ("when 1 / 2 / 3", Some("parentheses")),
        ("when -2147483648", None),
        ("when -2147483649", Some("32 bits")),
        ("when 2147483648", Some("32 bits")),
    ] {
        let text = with_action(text);
        match (parse(&text), message) {
            (Ok(model), None) => assert_eq!(print(&model), text),
            (Err(error), Some(expected)) => assert!(error.message.contains(expected), "{error}"),
            (result, _) => panic!("{text}{result:?}"),
        }
    }
}

#[test]
fn errors_say_where_and_what_was_expected() {
    let messages: Vec<String> = [
        "".to_string(),
        "lariat-ir 2\n".to_string(),
        "lariat-ir 1\nmodel m\n".to_string(),
        "lariat-ir 1\nmodel \"m\n".to_string(),
        "lariat-ir 1\nmodel \"\\q\"\n".to_string(),
        "lariat-ir 1\nmodel \"m\"\nglobals size 99999999999 hidden 0\n".to_string(),
        "lariat-ir 1\nmodel \"m\"\nglobals size 1 hidden 0\n  var \"x\" word g0.u8\n".to_string(),
        "lariat-ir 1\nmodel \"m\"\nfile 1 \"f\"\n".to_string(),
        with_action("jump"),
        with_action("set x = 1"),
        with_action("when g0.u8 g1.u8"),
        with_action("when p0(1)"),
        with_action("print %y:"),
        with_action("receive 1: 5"),
        with_action("program {\n node 1 jump -> exit"),
        with_action("program {\n node 0 jump -> exit\n"),
        with_action("skip") + "process p2 \"Q\"",
        with_action("skip") + "start p0 priority 256",
        with_action("skip") + "formula \"p\" \"q\"\nclaim never",
    ]
    .iter()
    .map(|text| parse(text).unwrap_err().to_string() + "\n")
    .collect();
    expect![[r#"
        line 1, column 1: expected `lariat-ir 1` as the first line
        line 1, column 1: expected `lariat-ir 1` as the first line
        line 2, column 7: expected the model's name as a string, found `m`
        line 2, column 9: expected `"`: the string does not end on its line
        line 2, column 8: expected one of the escapes \" \\ \n \t \r \u{…}
        line 3, column 14: expected the size of the globals, but 99999999999 is too large for it
        line 4, column 11: expected a type: a symbol list (`s0`) or one of (`bit`, `bool`, `byte`, `pid`, `short`, `int`, `unsigned`, `channel`), found `word`
        line 3, column 6: expected `0`, the next number, found 1
        line 8, column 13: expected an action (`skip`, `else`, `when`, `set`, `set_all`, `move`, `send`, `receive`, `run`, `assert`, `print`, `set_priority`, `end` or `program`), found `jump`
        line 8, column 17: expected a place (`g0`, `l0`, `p0.l0`, `priority.0` or `nowhere.0`), found `x`
        line 8, column 24: expected the end of the line, found `g1`
        line 8, column 23: expected `@` and a location, or `.` and a variable's place, found the end of the line
        line 8, column 20: expected a conversion: `e`, or `e` with a symbol list's number, or one of (`d`, `c`, `o`, `u`, `x`), found `y`
        line 8, column 24: expected `store`, `match` or `drop`, found 5
        line 9, column 7: expected 0, the number of the next node, found 1
        line 11, column 1: expected `node` or `}`, found the end of the text
        line 9, column 9: expected `p1`, the next number, found `p2`
        line 9, column 19: expected a priority, but 256 is too large for it
        line 10, column 1: expected `formula` or `proposition` or the end of the text, found `claim`
    "#]]
    .assert_eq(&messages.concat());
}

#[test]
fn spaces_comments_and_blank_lines_mean_nothing() {
    for seed in 0..50 {
        let model = random_model(Temper::Tame, seed);
        let loose: String =
            print(&model).lines().map(|line| format!("\t {line}   ; more\r\n\n  ; nothing\n")).collect();
        let loose = loose.replacen("\t lariat-ir 1   ; more\r\n", "lariat-ir 1\r\n", 1);
        assert_eq!(parse(&loose), Ok(model));
    }
}

fn scalar(name: &str, shown: ShownAs, storage: Storage, offset: u32, line: u32) -> Variable {
    Variable {
        name: name.to_string(),
        ty: Type::Scalar { shown, storage },
        length: None,
        offset,
        element_size: storage.size(),
        hidden: false,
        line: SourceLine { file: 0, line },
    }
}

fn byte(offset: u32) -> Expr {
    Expr::Global { offset, storage: Storage::BYTE }
}

fn byte_place(base: Base, offset: u32) -> Place {
    Place { base, offset, storage: Storage::BYTE, indices: vec![] }
}

fn binary(operator: BinaryOperator, left: Expr, right: Expr) -> Expr {
    Expr::Binary(operator, Box::new((left, right)))
}

/// A sender and a receiver, a claim, and a bit of everything.
fn small_model() -> Model {
    let local = |offset| Expr::Local { offset, storage: Storage::BYTE };
    let transition =
        |action, target, statement| Transition { action, target, keeps_control: false, escape: 0, statement };
    let statement = |text: &str, line| Statement {
        line: SourceLine { file: 0, line },
        text: text.to_string(),
        reported: true,
    };
    let location = |line, transitions| LocationInfo {
        transitions,
        line: SourceLine { file: 0, line },
        ..Default::default()
    };
    let element = Place {
        indices: vec![Index { value: local(0), length: 3, stride: 1 }],
        ..byte_place(Base::Global, 1)
    };
    let sender = ProcessType {
        name: "Sender".to_string(),
        line: SourceLine { file: 0, line: 7 },
        deterministic: true,
        provided: Some(binary(BinaryOperator::Less, byte(0), Expr::Constant(9))),
        exclusive: Vec::new(),
        variables: vec![scalar("i", ShownAs::Byte, Storage::BYTE, 0, 7)],
        parameters: 1,
        variables_size: 1,
        initialise: vec![],
        start: 1,
        locations: vec![
            LocationInfo::default(),
            LocationInfo {
                end: true,
                ..location(
                    8,
                    vec![
                        Transition {
                            keeps_control: true,
                            ..transition(
                                Action::Send {
                                    channel: byte(4),
                                    sorted: false,
                                    arguments: vec![Expr::Constant(1), Expr::Load(Box::new(element.clone()))],
                                },
                                2,
                                1,
                            )
                        },
                        transition(Action::Else, 3, 2),
                    ],
                )
            },
            location(
                9,
                vec![transition(
                    Action::Program(Box::new(Program {
                        guards: vec![Action::Guard(Expr::Test(ChannelTest::NotEmpty, Box::new(byte(4))))],
                        nodes: vec![
                            Node::Do {
                                action: Action::Assign(
                                    element,
                                    binary(
                                        BinaryOperator::Add,
                                        binary(BinaryOperator::Add, byte(0), local(0)),
                                        Expr::Constant(-1),
                                    ),
                                ),
                                next: Next::Node(1),
                                statement: 3,
                            },
                            Node::Choose {
                                options: vec![
                                    ProgramOption {
                                        guard: Some(Action::Guard(Expr::Timeout)),
                                        next: Next::Exit,
                                    },
                                    ProgramOption { guard: None, next: Next::Node(2) },
                                ],
                                statement: 4,
                            },
                            Node::Jump(Next::Exit),
                        ],
                    })),
                    1,
                    3,
                )],
            ),
            location(12, vec![transition(Action::End, 0, 5)]),
        ],
        statements: vec![
            Statement::default(),
            statement("q!go,a[i]", 8),
            Statement { reported: false, ..statement("else", 8) },
            statement("a[i] = ((x+i)-1)", 9),
            statement("if", 10),
            statement("-end-", 12),
        ],
        labels: vec![Label { name: "end_idle".to_string(), location: 1 }],
    };
    let receive = Receive {
        channel: byte(4),
        random: true,
        copy: false,
        arguments: vec![
            ReceiveArgument::Match(Expr::Constant(1)),
            ReceiveArgument::Store(byte_place(Base::Global, 0)),
        ],
    };
    let starter = ProcessType {
        name: ":init:".to_string(),
        line: SourceLine { file: 0, line: 14 },
        deterministic: false,
        provided: None,
        exclusive: Vec::new(),
        variables: vec![],
        parameters: 0,
        variables_size: 0,
        initialise: vec![],
        start: 1,
        locations: vec![
            LocationInfo::default(),
            location(
                15,
                vec![transition(
                    Action::Run {
                        process: ProcessTypeId(0),
                        arguments: vec![Expr::Constant(2)],
                        priority: 1,
                        then: Some(Box::new((byte_place(Base::Global, 5), Expr::RunResult))),
                    },
                    2,
                    1,
                )],
            ),
            location(
                16,
                vec![
                    Transition { escape: 1, ..transition(Action::Receive(receive), 2, 2) },
                    transition(
                        Action::Print {
                            format: vec![
                                FormatPiece::Text("x is \"".to_string()),
                                FormatPiece::Decimal,
                                FormatPiece::Symbol(Some(0)),
                                FormatPiece::Text("\"\n".to_string()),
                            ],
                            arguments: vec![byte(0), Expr::Constant(1)],
                        },
                        2,
                        3,
                    ),
                ],
            ),
        ],
        statements: vec![
            Statement::default(),
            statement("p = run Sender(2)", 15),
            statement("q??go,x", 16),
            statement("printf('x is %d%e\n',x,go)", 17),
        ],
        labels: vec![],
    };
    let remote = Expr::RemoteLabel { process: ProcessTypeId(0), pid: Some(Box::new(byte(5))), location: 1 };
    let their = Expr::Load(Box::new(byte_place(Base::Remote { process: ProcessTypeId(0), pid: None }, 0)));
    let claim = ProcessType {
        name: "never_idle".to_string(),
        line: SourceLine::default(),
        deterministic: false,
        provided: None,
        exclusive: Vec::new(),
        variables: vec![],
        parameters: 0,
        variables_size: 0,
        initialise: vec![],
        start: 1,
        locations: vec![
            LocationInfo::default(),
            LocationInfo {
                accept: true,
                transitions: vec![transition(
                    Action::Guard(binary(
                        BinaryOperator::And,
                        Expr::Unary(UnaryOperator::Not, Box::new(remote)),
                        binary(BinaryOperator::Equal, their, Expr::Constant(0)),
                    )),
                    1,
                    0,
                )],
                ..Default::default()
            },
        ],
        statements: vec![Statement::default()],
        labels: vec![],
    };
    Model {
        name: "small.pml".to_string(),
        language: Language::Promela,
        files: vec!["small.pml".to_string()],
        symbol_lists: vec![SymbolList {
            name: String::new(),
            symbols: vec!["go".to_string(), "stop".to_string()],
        }],
        record_types: vec![],
        globals: vec![
            scalar("x", ShownAs::Byte, Storage::BYTE, 0, 2),
            Variable { length: Some(3), ..scalar("a", ShownAs::Byte, Storage::BYTE, 1, 3) },
            scalar("q", ShownAs::Channel, Storage::BYTE, 4, 4),
            scalar("p", ShownAs::Pid, Storage::BYTE, 5, 5),
        ],
        globals_size: 6,
        hidden_size: 0,
        channel_types: vec![ChannelType {
            name: "q".to_string(),
            capacity: 2,
            fields: vec![
                Field { shown: ShownAs::Symbol(0), storage: Storage::BYTE },
                Field { shown: ShownAs::Int, storage: Storage::Signed32 },
            ],
        }],
        process_types: vec![sender, starter],
        initialise: vec![
            Initialisation {
                place: byte_place(Base::Global, 0),
                value: InitialValue::Expr(Expr::Constant(3)),
            },
            Initialisation {
                place: byte_place(Base::Global, 4),
                value: InitialValue::NewChannel(ChannelTypeId(0)),
            },
        ],
        start: vec![Start { process: ProcessTypeId(1), priority: 1 }],
        claims: vec![Claim { kind: ClaimKind::Never, automaton: claim }],
        formulas: vec![Formula {
            name: "safe".to_string(),
            text: "[] (x < 9)".to_string(),
            line: SourceLine { file: 0, line: 20 },
        }],
        propositions: vec![
            Proposition { text: "x == 1".into(), value: Expr::Constant(1) },
            Proposition { text: "accept_".into(), value: Expr::Acceptance },
        ],
        features: Features { timeout: true, priorities: false, last: false },
    }
}

#[test]
fn a_small_model_as_people_see_it() {
    let model = small_model();
    assert_eq!(lariat_model::verify::verify(&model), Vec::<String>::new());
    check_round_trip(&model);
    expect![[r#"
        lariat-ir 1
        model "small.pml"
        features timeout
        file 0 "small.pml"
        symbols s0 "" "go" "stop"
        globals size 6 hidden 0
          var "x" byte g0.u8 line 0:2
          var "a"[3] byte g1.u8 line 0:3
          var "q" channel g4.u8 line 0:4
          var "p" pid g5.u8 line 0:5
          init g0.u8 = 3
          init g4.u8 = new c0
        channel c0 "q" capacity 2: s0.u8, int.i32
        process p0 "Sender" start 1 size 1 parameters 1 deterministic line 0:7
          provided g0.u8 < 9
          var "i" byte l0.u8 line 0:7
          statement 0 ""
          statement 1 "q!go,a[i]" reported line 0:8
          statement 2 "else" line 0:8
          statement 3 "a[i] = ((x+i)-1)" reported line 0:9
          statement 4 "if" reported line 0:10
          statement 5 "-end-" reported line 0:12
          label "end_idle" 1
          location 0
          location 1 end line 0:8
            -> 2 #1 keeps_control send g4.u8: 1, g1[l0.u8 of 3 by 1].u8  ; q!go,a[i]
            -> 3 #2 else                                            ; else
          location 2 line 0:9
            -> 1 #3 program {                                       ; a[i] = ((x+i)-1)
              guard when not_empty(g4.u8)
              node 0 do -> 1 #3 set g1[l0.u8 of 3 by 1].u8 = g0.u8 + l0.u8 + -1  ; a[i] = ((x+i)-1)
              node 1 choose #4                                      ; if
                option -> exit when timeout
                option -> 2
              node 2 jump -> exit
            }
          location 3 line 0:12
            -> 0 #5 end                                             ; -end-
        process p1 ":init:" start 1 size 0 parameters 0 line 0:14
          statement 0 ""
          statement 1 "p = run Sender(2)" reported line 0:15
          statement 2 "q??go,x" reported line 0:16
          statement 3 "printf('x is %d%e\n',x,go)" reported line 0:17
          location 0
          location 1 line 0:15
            -> 2 #1 run p0(2) priority 1 then g5.u8 = result        ; p = run Sender(2)
          location 2 line 0:16
            -> 2 #2 escape 1 receive random g4.u8: match 1, store g0.u8  ; q??go,x
            -> 2 #3 print "x is \"" %d %e0 "\"\n": g0.u8, 1         ; printf('x is %d%e\n',x,go)
        start p1 priority 1
        claim never "never_idle" start 1 size 0 parameters 0
          statement 0 ""
          location 0
          location 1 accept
            -> 1 #0 when !p0(g5.u8)@1 && (p0.l0.u8 == 0)
        formula "safe" "[] (x < 9)" line 0:20
        proposition "x == 1" 1
        proposition "accept_" acceptance
    "#]]
    .assert_eq(&print(&model));
}
