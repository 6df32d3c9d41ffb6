/* P ends, Q goes round. Whoever has ended is not enabled and need not take part: the run is fair to P. */
byte n;

active proctype P() { n = 1 }
active proctype Q()
{
	do
	:: n == 1 -> n = 2
	:: n == 2 -> n = 1
	od
}
