/* The server answers what the user asks. A user need never ask: fairness to the user would make him ask for
 * ever. */
bit asked, answered;

active proctype User() { do :: asked == 0 -> answered = 0; asked = 1 od }
active proctype Server() { do :: asked == 1 -> answered = 1; asked = 0 od }
active proctype Clock() { do :: skip od }
