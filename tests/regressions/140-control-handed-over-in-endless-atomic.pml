/* Control is handed over inside an atomic sequence that never ends. Each process that has moved in it has
 * left its label for good, not only the one that goes round at last. */
chan to = [0] of { byte };
chan back = [0] of { byte };

active proctype Giver() {
	(1);
progress:
accept:
here:
	atomic {
		to ! 1;
		do
		:: back ? 1; to ! 1
		od
	}
}

active proctype Taker() {
there:
	atomic {
		to ? 1;
		do
		:: back ! 1; to ? 1
		od
	}
}
