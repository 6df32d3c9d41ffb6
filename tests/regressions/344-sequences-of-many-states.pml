/* A sequence of some two thousand intermediate states is no usual one: where compiled code finishes sequences
 * in place, it must leave it to the general way, and not stop in the middle. */
byte x;
active proctype P() {
	short i;
	do
	:: atomic { do :: i < 1100 -> i++ :: i >= 1100 -> break od; i = 0; x = (x + 1) % 100 }
	od
}
