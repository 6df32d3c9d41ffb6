/* Division by zero is a run-time error with a trace; pan dies of it. */
byte x = 2, y;
active proctype P() {
	do
	:: x > 0 -> y = 6 / x; x--
	:: else -> y = 6 % x
	od
}
