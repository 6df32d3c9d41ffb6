/* A process that goes round inside an atomic sequence for ever is enabled in the state that is seen, the one
 * in which the sequence began. */
byte x;

active proctype P() {
	x = 1;
	atomic {
		x = 2;
		do
		:: x = 3 - x
		od
	}
}

active proctype Q() {
	x == 5;
	skip
}

never {
	do
	:: x == 0
	:: x == 1 -> break
	od;
accept:
	do
	:: enabled(0)
	od
}
