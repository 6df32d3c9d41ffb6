/* Without an initial state there is no run; nothing holds for that reason. */
byte a[2];
byte i = a[5];

active proctype P()
{
	skip
}

ltl any { [] (i == 9) }
