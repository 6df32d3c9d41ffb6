/* Q may do something only while x == 0. P flips x, so Q is enabled again and again, but never for good:
 * strong fairness gives it a turn, weak fairness does not. With a condition that stays, weak fairness does.
 * */
bit x, y, z = 1;

active proctype P() { do :: x = 1 - x od }
active proctype Q() provided (x == 0) { do :: y = 1 - y od }
active proctype R() provided (z == 1) { do :: z = 1 od }
active proctype T() provided (z == 0) { do :: z = 0 od }
