/* Violated: exit code 1, also with --keep-going, also when a limit is hit after it. */
byte x;
proctype P() {
	byte mine;
	mine = x;
	x = mine + 1
}
init {
	run P();
	run P();
	(_nr_pr == 1);
	assert(x == 2)
}
