/* A goto is no step; but when a formula looks at its label it keeps its control point, where the process may be seen. */
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
ltl seen { <> (P@back) }
