#ifndef N
#define N 3
#endif
byte x;
active [N] proctype P() {
	byte i;
	do
	:: i < 3 -> i++
	:: else -> break
	od;
	x++
}
