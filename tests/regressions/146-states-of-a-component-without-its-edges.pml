/* P chooses at the top: round by a or round by b. All states are one component, Q is enabled where a == 1
 * only, and takes part there. A cycle in which Q never takes part is weakly fair if it leaves a == 1 again
 * and again, strongly fair if it never comes to a == 1: round by b. Who takes the states of the component
 * and not the edges of the cycle sees Q enabled, and sees it take part, whatever the cycle does. */
bit a, b, q;

active proctype P()
{
	do
	:: a = 1; a = 0
	:: b = 1; b = 0
	od
}
active proctype Q() { do :: a == 1 -> q = 1 - q od }
