// What was found, in a few sentences and one figure: whether the verdicts agree, and which algorithm has the
// least to do. It stands first. A contradiction stands before it: no figure matters as long as a verdict is
// wrong.

function findingsSection({ cases, width }) {
  if (!data.cases.length) return [missing("There are no cases.")];
  const contradictions = cases.filter((one) => one.agreed === false);
  const six = sixOfThePaper(cases);
  return [
    contradictions.length ? alarm(contradictions) : null,
    element("p", { id: "finding" }, verdictsInWords(cases, contradictions), workInWords(six)),
    ...figure4(six, cases, width),
  ];
}

function verdictsInWords(cases, contradictions) {
  const verdicts = cases.flatMap((one) => one.runs.filter((run) => run?.finished)).length;
  const without = cases.filter((one) => !one.verdict && one.agreed !== false).length;
  if (!verdicts) return "No run came to a verdict. ";
  const open = without ? `; ${plural(without, "case")} ${without === 1 ? "has" : "have"} none` : "";
  if (contradictions.length)
    return `Verdicts contradict each other or what is expected in ${plural(contradictions.length, "case")}${open}. `;
  return `All ${integer(verdicts)} verdicts about ${plural(cases.length - without, "case")} agree${open}. `;
}

// Who has the least and the most to do, of those that the figure compares.
function workInWords({ rows, common }) {
  const known = rows.filter((row) => finite(row.transitions.ratio));
  if (!common.length || known.length < 2) return "";
  const extreme = (field, better) => {
    const best = known.map((row) => row[field].ratio).reduce((a, b) => (better(b, a) ? b : a));
    const who = known.filter((row) => row[field].ratio === best);
    return { best, who, names: listed(who.map((row) => row.configuration.name)) };
  };
  const fewest = extreme("transitions", (a, b) => a < b);
  const most = extreme("transitions", (a, b) => a > b);
  const all = listed(known.map((row) => row.configuration.name));
  const over = `Over ${plural(common.length, "case")} that all of ${all} finish, `;
  if (fewest.best === most.best) return `${over}all generate as many transitions.`;
  const verb = (who) => (who.length === 1 ? "generates" : "generate");
  const parts = [
    `${over}${fewest.names} ${verb(fewest.who)} the fewest transitions, ${percent(fewest.best)} of those of hpy, `,
    `and ${most.names} the most, ${percent(most.best)}. `,
  ];
  const quickest = extreme("seconds", (a, b) => a < b);
  if (quickest.who.length === 1) {
    const paper = quickest.who[0].paper;
    parts.push(`By the clock ${quickest.names} is the quickest: ${percent(quickest.best)} of the time of hpy`);
    parts.push(finite(paper) ? ` (in the paper ${percent(paper)}). ` : ". ");
  }
  return [...parts, orderInWords(known)];
}
