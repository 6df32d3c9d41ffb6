/* The body of Sender is not closed; what follows is still checked. */
chan wire = [1] of { byte };

proctype Sender() {
	byte n;
	do
	:: atomic { n < 3 -> wire ! n; n++ }
	:: n == 3 -> break
	od

proctype Receiver() {
	byte m;
	do
	:: wire ? m -> printf("%d\n", mm)
	od
}

init {
	run Sender();
	run Receiver()
}
