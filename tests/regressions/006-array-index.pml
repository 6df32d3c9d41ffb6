/* An index outside of its array is a run-time error with a trace, in reading and in writing. */
byte a[3], i;
active proctype P() {
	do
	:: a[i] = i; i++
	od
}
