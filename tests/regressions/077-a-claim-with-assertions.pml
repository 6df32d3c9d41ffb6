/* The claims that Spin writes for safety properties fail by an assertion of their own, in one indivisible step; a claim that
   comes to its end has seen what must not happen, too. */
byte n;

active proctype P()
{
	do
	:: n < 3 -> n++
	:: else -> break
	od
}

never {
T0_init:
	do
	:: atomic { (n == 2) -> assert(!(n == 2)) }
	:: (1) -> goto T0_init
	od
}
