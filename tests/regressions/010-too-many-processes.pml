/* There can be 255 processes at a time; to start one more is a run-time error. Here every process starts the next. */
byte started;
proctype P() {
	byte child;
	started++;
	child = run P();
	assert(child != 0);
	(false)
}
init { run P() }
