/* A hidden variable is no part of the state: states that differ in nothing else are one. */
hidden byte scratch;
byte x;
active proctype P() {
	do
	:: x < 2 -> x++
	:: scratch = x
	od
}
