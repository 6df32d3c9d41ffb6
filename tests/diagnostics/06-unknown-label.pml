/* Jumps to labels that are not there, and a formula's view of one. */
byte x;

active proctype P() {
start:
	if
	:: x < 3 -> x++; goto strat
	:: else -> goto done
	fi;
finished:
	skip
}

active proctype Q() {
	(P@finished);
	(P@running);
	(R@finished);
	goto finished
}
