/* Several claims are judged one by one, and each has a name. */
byte x;

active proctype P()
{
	do
	:: x = 1 - x
	od
}

never stays_small
{
	do
	:: x == 3 -> break
	:: else
	od
}

never
{
accept:	do
	:: x <= 1
	od
}
