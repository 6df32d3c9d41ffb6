/* Misspelt variables, each reported once per process. */
bool flag[2];
byte critical;

active [2] proctype User() {
	byte other = 1 - _pid;
again:
	flag[_pid] = true;
	!flag[othr];
	critcal++;
	assert(critcal == 1);
	critical--;
	flags[_pid] = flase;
	goto again
}
