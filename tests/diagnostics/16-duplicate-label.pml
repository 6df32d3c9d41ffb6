/* A label names one place; and it stands before a statement. */
byte x;

active proctype P() {
again:
	x++;
	if
	:: x < 4 -> goto again
	:: else
	fi;
again:
	x = 0;
end:
}
