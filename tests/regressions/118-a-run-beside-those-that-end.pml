/* Some runs end, one goes on: the verdict is about that one. */
byte x;

active proctype P()
{
	do
	:: x = 1 - x
	:: x = 2; break
	od
}
