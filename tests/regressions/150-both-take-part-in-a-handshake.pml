/* The receiver executes a statement whenever the sender does. It is never unfairly treated by a run in
 * which they meet for ever, though the step is the sender's: R takes part, and so does S. T is left out,
 * and is enabled. Fairness to S alone does not suffice: while R has something else to do, S is not enabled.
 * */
chan c = [0] of { bit };
bit r, t;

active proctype S() { do :: c!1 od }
active proctype R() { do :: c?_ -> r = 1 - r od }
active proctype T() { do :: t = 1 - t od }
