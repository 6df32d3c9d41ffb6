/* A late declaration with a list: all elements are set when the process starts, the first one again at the step. */
byte rounds;
active proctype P() {
	skip;
	do
	:: rounds < 2 ->
		byte list[3] = { 5, 6, 7 };
		list[0]++;
		list[1]++;
		list[2] = list[2] + 2;
		rounds++
	:: else -> break
	od;
	assert(list[0] == 6)
}
