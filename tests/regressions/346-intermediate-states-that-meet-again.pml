/* A sequence of some fifty intermediate states, of which many are met on two ways, and which can be left from
 * many of them. Each is expanded once, so no successor comes more than once for having been met again. */
byte x;
active proctype P() {
	byte i, j;
	do
	:: atomic {
		x = (x + 1) % 60;
		do
		:: i < 14 -> i++
		:: j < 1 -> j++
		:: i -> break
		od;
		assert(x < 60);
		skip
	   }
	:: break
	od
}
