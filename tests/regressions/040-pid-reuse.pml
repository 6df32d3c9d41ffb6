/* A pid is used again; a remote reference then sees the new process. */
byte seen;
proctype P(byte n) { byte mine = n; seen = _pid; mine = mine + 1 }
init {
	pid p;
	p = run P(1);
	(_nr_pr == 1);
	p = run P(5);
	if
	:: P[p]:mine > 4 -> skip
	:: else
	fi;
	(_nr_pr == 1);
	assert(p == 1 && seen == 1)
}
