/* `G F (x == 1) & G F (y == 1)` needs two acceptance sets. The nearest cycle that meets both goes round one of `x` and one of `y`, from the
   first state on: four steps. A cycle that a depth-first search finds is longer, and one set after the other, each by its nearest way,
   need not lead to the shortest cycle either. */
byte x, y, z;

active proctype P()
{
	do
	:: z < 100 -> z++
	:: x = 1; x = 0
	:: y = 1; y = 0
	:: z == 100 -> x = 1; y = 1; x = 0; y = 0
	od
}
