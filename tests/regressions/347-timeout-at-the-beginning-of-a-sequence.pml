/* A sequence begins because nothing else can happen. In the middle of it something has happened, and timeout
 * is false. */
byte x;
active proctype P() {
	do
	:: x < 3 -> atomic { timeout; x = x; if :: timeout -> x = 3 :: else -> x++ fi; skip }
	od
}
