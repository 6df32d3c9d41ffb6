/* Two processes that end. P, then Q, then nothing for ever: the property is violated (some checkers lose such runs when
   they ask for fairness, because nobody can move any more). */
byte n;

active proctype P()
{
	n = 1
}

active proctype Q()
{
	n = 2
}

ltl p { <> [] (n == 1) }
