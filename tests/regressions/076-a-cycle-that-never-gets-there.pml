/* `eventually` must not be judged where a state is seen again: the cycle may never satisfy it, another way may. */
byte x;

active proctype P()
{
	do
	:: x == 0 -> x = 1
	:: x == 1 -> x = 0
	:: x == 1 -> x = 2
	:: x == 2 -> skip
	od
}

ltl arrives { <> (x == 2) }
ltl moves { [] (x == 0 -> <> (x == 1)) }
