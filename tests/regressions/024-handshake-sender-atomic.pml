/* A rendezvous send inside atomic: control passes to the receiver, and comes back only if that is not atomic. */
chan c = [0] of { byte };
byte x, y;
active proctype Sender() {
	atomic { x = 1; c ! 1; x = 2; x = 3 }
}
active proctype Receiver() {
	byte m;
	c ? m;
	y = 1;
	y = x
}
active proctype Other() { y = 5; x > 1 }
