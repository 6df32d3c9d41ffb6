/* A formula on the command line is checked alone, whatever the blocks of the model are called. */
byte x;

active proctype P()
{
	do
	:: x = 1 - x
	od
}

ltl formula { [] (x == 7) }
ltl formula_2 { [] (x == 8) }
