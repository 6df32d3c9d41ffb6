/* xr promises that no other process receives from the channel. */
chan c = [2] of { byte };
active proctype Receiver() {
	xr c;
	byte x;
	c ? x
}
active proctype Thief() {
	byte x;
	c ! 1;
	c ! 2;
	c ? x
}
