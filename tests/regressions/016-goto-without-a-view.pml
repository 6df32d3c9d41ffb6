/* The same without the formula: the goto has no control point of its own. */
byte x;
active proctype P() {
	do
	:: x < 3 ->
		x++;
		if
		:: x == 1 -> skip
		:: x > 1 ->
back:			goto on
		fi;
on:		x = x
	:: else -> break
	od
}
active proctype Q() { x > 1 }
