/* else beside channel operations: taken when none of them can be done. */
chan c = [1] of { byte };
byte n, m;
active proctype P() {
	do
	:: c ! n -> if :: n < 3 -> n++ :: else -> break fi
	:: c ? [3] -> break
	:: else -> if :: n < 3 -> n++ :: else -> break fi
	od
}
active proctype Q() {
	do
	:: c ? m
	:: m == 3 -> break
	:: else -> break
	od
}
