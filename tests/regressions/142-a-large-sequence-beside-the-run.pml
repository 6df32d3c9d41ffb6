/* Along the run that violates the invariant a large atomic sequence is possible, and not taken. Replay need
 * not go through it. */
byte x[5];
byte y;

active proctype P() {
	do
	:: y < 20 -> y++
	:: y == 20
	:: atomic {
		x[0] == 0 ->
		do
		:: x[0]++
		:: x[1]++
		:: x[2]++
		:: x[3]++
		:: x[4]++
		od
	}
	od
}
