/* Channels that are fields of records: each variable of the type has its own, those of a local one die with the process. */
mtype = { ask, tell };
typedef Port {
	byte n;
	chan c = [2] of { mtype, byte };
	chan d[2] = [1] of { byte }
}
Port ports[2];
Port other;
proctype Worker(chan in; byte k) {
	mtype m;
	byte v;
	in?m,v;
	printm(m);
	ports[k].d[k]!v;
end:	in?m,v
}
init {
	Port own;
	atomic { run Worker(ports[0].c, 0); run Worker(own.c, 1) }
	ports[0].c!ask,3;
	own.c!tell,4;
	byte z;
	ports[0].d[0]?z;
	ports[1].d[1]?z;
	other.c!ask,z;
	other.c??ask,eval(z);
	assert(z == 4)
}
