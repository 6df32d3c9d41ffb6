/* A channel dies with the process that created it: to use it then is a run-time error. */
chan shared = [1] of { chan };
proctype Owner() {
	chan mine = [1] of { byte };
	shared ! mine
}
init {
	chan c;
	run Owner();
	shared ? c;
	(_nr_pr == 1);
	c ! 1
}
