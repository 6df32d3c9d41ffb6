/* A break is a jump, and no jump leaves a d_step: refused, as in Spin ("jump into d_step sequence"). */
byte x;

active proctype P() {
	do
	:: d_step { x = 1; x = 2; break }
	od
}
