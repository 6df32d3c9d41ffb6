/* The model's names win: the formulas are violated, what we call so is not. `:acceptance` is always ours. */
byte x;

active proctype P()
{
	do
	:: x = 1 - x
	od
}

ltl safety { [] (x == 0) }
ltl acceptance { [] (x == 1) }
