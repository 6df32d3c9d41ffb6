/* Polls have no effect; they say whether the receive could be done. */
chan c = [2] of { byte, byte };
byte x, n;
active proctype P() {
	do
	:: n < 2 -> c ! n, 7; n++
	:: n == 2 -> break
	od
}
active proctype Q() {
	c ? [1, 7] -> x = 1
}
active proctype R() {
	c ?? [1, 7] -> x = 2;
	c ? x, 7
}
