/* Blocks have scopes of their own; a variable of a block keeps its place in the frame. */
byte sum;
active proctype P() {
	byte x = 1;
	{ byte y = 2; sum = sum + y; y = 5 };
	{ byte y; sum = sum + y; y = 3 };
	if
	:: byte z = 4; sum = sum + z
	:: sum == 2 -> byte w; w = w + 1; sum = sum + w
	fi
}
