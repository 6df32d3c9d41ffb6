/* Priorities change while the model runs; a new process has the one that run gives it. */
byte x;
proctype Child() { x = x + 10; set_priority(_pid, 1); x = x + 20 }
init {
	x = get_priority(_pid);
	run Child() priority 3;
	x++;
	set_priority(_pid, 5);
	x++;
	set_priority(1, 7);
	x++
}
