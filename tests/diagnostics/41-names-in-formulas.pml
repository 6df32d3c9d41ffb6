/* What is wrong in a formula is shown where it stands, through macros and line breaks. */
#define positive  (x > 0)
#define negative  (y < 0)
#define MAX       3

byte x;

active proctype P()
{
	do
	:: x < MAX -> x++
	:: else -> x = 0
	od
}

ltl good { [] (positive -> <> (x == 0)) }

ltl over_lines {
	[] (positive ->
		<> (top   == MAX))
}

ltl by_macro { <> negative }
