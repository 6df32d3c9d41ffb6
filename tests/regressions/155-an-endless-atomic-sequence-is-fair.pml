/* P enters an atomic sequence that it never leaves. No state is seen any more, and nobody else can be given
 * a turn: Q is not kept from one that it could take. The run is weakly and strongly fair, and y stays 0 in
 * it. */
bit x, y;

active proctype P()
{
	atomic {
		do
		:: x = 1 - x
		od
	}
}
active proctype Q() { y = 1 }
