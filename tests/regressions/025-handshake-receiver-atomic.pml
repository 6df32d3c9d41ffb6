/* The receiver stands inside atomic: it goes on without interruption. */
chan c = [0] of { byte };
byte x, y;
active proctype Sender() {
	x = 1;
	c ! 1;
	x = 2
}
active proctype Receiver() {
	byte m;
	atomic { c ? m; y = 1; y = x }
}
active proctype Other() { y = 5; x > 1 }
