/* A depth bound that cuts the search proves nothing: the verdict is unknown, unless a violation was found. */
byte n;
active proctype Counter() {
	do
	:: n < 20 -> n++
	:: n == 20 -> break
	od;
	assert(n == 20)
}
