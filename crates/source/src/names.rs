//! Guessing what a misspelt name was meant to be.

/// The most similar of the known names, if one is similar enough.
pub fn most_similar<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = match name.chars().count() {
        0..=4 => 1,
        5..=7 => 2,
        _ => 3,
    };
    known
        .filter(|candidate| candidate.chars().count().abs_diff(name.chars().count()) <= limit)
        .map(|candidate| (distance(name, candidate), usize::MAX - common_start(name, candidate), candidate))
        .filter(|(d, _, candidate)| *d <= limit && *d < candidate.chars().count())
        .min()
        .map(|(_, _, candidate)| candidate)
}

/// Of two names that are equally near, the one that starts alike is meant.
fn common_start(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(x, y)| x == y).count()
}

/// How many letters must be inserted, removed, replaced, or swapped with their neighbour; a change of case
/// alone counts one in all.
fn distance(a: &str, b: &str) -> usize {
    if a.eq_ignore_ascii_case(b) {
        return 1;
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    // `rows[i][j]`: from the first `i` letters of `a` to the first `j` of `b`.
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]) as usize;
            let mut best = replaced.min(row[j - 1] + 1).min(rows[i - 1][j] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}
