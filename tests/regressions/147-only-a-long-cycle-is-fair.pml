/* One process after the other may move, in turns. The component has small cycles as well: each process can
 * take back its move. In none of the small ones everybody takes part; in the one that goes round all,
 * everybody does (unconditional fairness). Every state of the component accepts, so whoever does not look
 * for all the sets together shows a small one. */
byte turn;

active [3] proctype P()
{
	do
	:: turn == _pid -> turn = (turn + 1) % 3
	:: turn == _pid + 10 -> turn = _pid
	:: turn == _pid -> turn = _pid + 10
	od
}
