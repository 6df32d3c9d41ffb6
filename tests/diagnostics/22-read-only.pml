/* What cannot be assigned to, and what cannot be read. */
mtype = { on, off };
chan c = [1] of { byte };
byte x;

active proctype P() {
	_pid = 1;
	_nr_pr++;
	on = off;
	x = _;
	c ? _pid;
	timeout = 1;
	3 = x
}
