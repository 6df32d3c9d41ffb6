/* xs promises that no other process sends to the channel. */
chan c = [2] of { byte };
active proctype Sender() {
	xs c;
	c ! 1
}
active proctype Other() {
	byte x;
	c ? x;
	c ! 2
}
