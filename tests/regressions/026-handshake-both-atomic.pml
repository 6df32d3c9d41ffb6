/* Both stand inside atomic: the sender loses control to the receiver. */
chan c = [0] of { byte };
byte x, y;
active proctype Sender() {
	atomic { x = 1; c ! 1; x = 2; x = 3 }
}
active proctype Receiver() {
	byte m;
	atomic { c ? m; y = 1; y = x; y = 7 }
}
active proctype Other() { y = 5; x > 1 }
