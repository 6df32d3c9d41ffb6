/* A process that has ended goes only when all younger ones are gone; then its pid is free again. */
byte x;
proctype Short() { x++ }
proctype Long() { x++; x++ }
init {
	run Short();
	run Long();
	(_nr_pr <= 2);
	run Short();
	(_nr_pr == 1);
	assert(x == 4)
}
