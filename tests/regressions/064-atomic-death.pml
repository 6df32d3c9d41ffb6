/* A process started inside atomic does not run before the sequence ends; the end of a process is a step of its own. */
byte x;
proctype C() { x++ }
init {
	atomic { run C(); run C(); x = 5; x = 6 };
	(_nr_pr == 1);
	assert(x == 8)
}
