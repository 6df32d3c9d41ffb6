/* A declaration after the first statement is a step: a scalar is set again, of an array its first element, a record
   stays as it is. In a loop that shows. */
typedef Pair { byte a; byte b }
byte rounds;
active proctype P() {
	do
	:: rounds < 3 ->
		byte s = 1;
		byte list[3];
		Pair p;
		s++;
		list[0]++;
		list[1]++;
		p.a++;
		rounds++;
		assert(s == 2);
		assert(list[0] == 1 && list[1] == rounds && p.a == rounds)
	:: else -> break
	od
}
