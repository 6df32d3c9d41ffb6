/* xr and xs that are kept: len and empty are no receives. */
chan c = [2] of { byte };
active proctype Receiver() {
	xr c;
	byte x;
	c ? x;
	c ? x
}
active proctype Sender() {
	xs c;
	c ! 1;
	nfull(c);
	c ! 2
}
