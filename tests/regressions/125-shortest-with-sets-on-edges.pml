/* A run that violates `F G !p` goes round the second option at once: two steps. The acceptance set of the automaton is on edges;
   who reads it as a set on states looks for a state all edges of which accept, and finds one after a hundred steps. */
byte x;
bool p = 1;

active proctype P()
{
	do
	:: x < 50 -> x++
	:: x == 0 -> p = 1
	:: x == 50 -> p = 1
	od
}
