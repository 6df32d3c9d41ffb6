/* A closed model reads no input. */
int c;

active proctype Reader() {
	do
	:: STDIN ? c ->
		if
		:: c == 'q' -> break
		:: else
		fi
	od
}
