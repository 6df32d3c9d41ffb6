/* D_proctype promises that there is never a choice between options: a choice is an error. */
byte x;
D_proctype P() {
	do
	:: x < 3 -> x++
	:: x > 3 && x < 5 -> x = x + 2
	:: x >= 5 -> break
	:: x == 3 -> x = 4
	od
}
D_proctype Q() {
	if
	:: x < 3 -> x++
	:: x == 2 -> x = 0
	:: else
	fi
}
init { run P(); x = 1; run Q() }
