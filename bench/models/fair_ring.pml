/*
 * A token goes round, and everybody has something else to do: a ring whose
 * whole state space is one component.
 *
 * Station i passes the token on when it has it, and nothing else; without
 * it, it counts to WORK and begins again. There are N * (WORK + 1)^N states
 * or a little less, so that rings of two stations and of twelve can be of
 * about the same size.
 *
 * Without fairness the token may stay where it is while the others count
 * (comes_back is violated). Who has it can always pass it on, so under weak
 * fairness it goes round. If it leaves station 0 and comes back to it again
 * and again, it goes round anyhow (goes_round).
 */

#ifndef N
#define N 4
#endif
#ifndef WORK
#define WORK 2
#endif

byte turn;

active [N] proctype Station()
{
    byte work;

    do
    :: d_step { turn == _pid -> work = 0; turn = (turn + 1) % N }
    :: d_step { turn != _pid && work < WORK -> work++ }
    :: d_step { turn != _pid && work == WORK -> work = 0 }
    od
}

ltl comes_back { [] <> (turn == N - 1) }
ltl goes_round { ([] <> (turn == 0) && [] <> (turn != 0)) -> [] <> (turn == N - 1) }
