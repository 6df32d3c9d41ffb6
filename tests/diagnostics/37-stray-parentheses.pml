/* Parentheses and brackets that do not pair up. */
byte x, a[2];

active proctype P() {
	if ) x == 1 -> skip
	:: else
	fi;
	x = x + 1);
	x = a[0;
	x = ((x + 1);
	x = 2
}
