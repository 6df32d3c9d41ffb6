/* A run that ends is continued by its last state, for ever: so liveness is judged on it too. */
byte n;

active proctype P()
{
	n = 1
}

ltl reached { <> (n == 1) }
ltl kept { <> [] (n == 1) }
ltl not_yet { [] (n == 0) }
ltl again { [] <> (n == 0) }
