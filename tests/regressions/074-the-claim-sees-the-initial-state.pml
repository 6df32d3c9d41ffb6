/* The property reads the initial state before anything has moved, and every state after it. */
byte n = 1;

active proctype P()
{
	n = 0;
	n = 2
}

ltl never_one { [] (n != 1) }
ltl one_first { (n == 1) }
ltl zero_seen { <> (n == 0) }
