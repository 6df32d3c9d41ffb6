/* Channels that a process creates vanish with it, and numbers are used again. */
chan link = [2] of { chan, byte };
byte sum;
proctype Client(byte n) {
	chan reply = [1] of { byte };
	byte r;
	link ! reply, n;
	reply ? r;
	sum = sum + r
}
active proctype Server() {
	chan to;
	byte n;
	byte served;
	do
	:: served < 2 -> link ? to, n; to ! n * 2; served++
	:: else -> break
	od
}
init {
	run Client(3);
	run Client(4)
}
