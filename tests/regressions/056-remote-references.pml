/* Another process' control point and variables, in the model itself. */
active proctype P() {
	byte n;
	do
	:: n < 2 ->
counting:	n++
	:: else -> break
	od;
done:	skip
}
active proctype Q() {
	P@counting;
	P:n == 2;
	P[0]@done
}
