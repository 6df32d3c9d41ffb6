//! Guessing what a misspelt name was meant to be.

/// The most similar of the known names, if one is similar enough.
pub fn most_similar<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = match name.chars().count() {
        0..=2 => 1,
        3..=5 => 2,
        _ => 3,
    };
    known
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(d, candidate)| *d <= limit && *d < candidate.chars().count())
        .min()
        .map(|(_, candidate)| candidate)
}

/// How many letters must be inserted, removed or replaced; a change of case alone counts one in all.
fn distance(a: &str, b: &str) -> usize {
    if a.eq_ignore_ascii_case(b) {
        return 1;
    }
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + (x != *y) as usize;
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
