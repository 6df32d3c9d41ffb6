/* Claims have rules of their own. */
byte x;
chan c = [1] of { byte };

active proctype P() { x++; c ! x }

never {
	byte seen;
	do
	:: x > 3 -> break
	:: else
	od
}

never { do :: xx od }
