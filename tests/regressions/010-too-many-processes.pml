/* There can be 255 processes at a time; `run` gives 0 then, and blocks as a statement. Here it is a loop that goes on
   for ever: a process that starts itself again. */
byte started;
proctype P() {
	byte child;
	started++;
	child = run P();
	assert(child != 0);
	(false)
}
init { run P() }
