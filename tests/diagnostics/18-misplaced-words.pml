/* Words that need another one around them. */
byte x;

active proctype P() {
	if
	:: x == 0 -> break
	:: x == 1 -> else
	:: else -> skip
	:: else -> x = 1
	fi;
	od;
	x = 2;
	:: x == 2 -> x = 3
}
