/* A formula's syntax errors are shown where they stand. */
byte x;

active proctype P()
{
	x = 1
}

ltl one {
	[] (x == 0 ->
		<> (x == ) 1)
}

ltl two { [] (x <> 1 }
