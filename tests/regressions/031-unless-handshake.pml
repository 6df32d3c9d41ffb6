/* A rendezvous in an escape, with the sender elsewhere, and one that is cut off by an escape. */
chan stop = [0] of { byte };
chan data = [0] of { byte };
byte got;
active proctype Worker() {
	byte m;
	do
	:: data ? m -> got = got + m
	od unless {
		stop ? m -> got = 100
	}
}
active proctype Boss() {
	data ! 1;
	data ! 2;
	stop ! 0
}
