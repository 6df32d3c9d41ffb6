/* run gives a pid, and can be part of an expression; a failing guard before it starts nothing. */
byte x, p;
proctype Q() { x++ }
init {
	p = run Q();
	p = 10 + run Q();
	(_nr_pr == 1);
	assert(p == 12 || p == 11)
}
