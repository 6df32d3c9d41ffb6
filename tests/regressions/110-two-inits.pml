/* Every init is a process, in the order of the text among the active ones: pids 0 and 2 here. */
byte x, seen, other;

init {
	byte own = 1;
	x = own;
	other = _pid
}

active proctype P() { x = 3 }

init {
	byte own = 2;
	x = own;
	seen = _pid;
	assert(seen == 2)
}
