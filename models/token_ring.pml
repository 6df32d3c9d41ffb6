/*
 * A token goes round in a ring of stations.
 *
 * Who has the token may work, and passes it on. Beside the ring there is
 * somebody else who always has something to do.
 *
 * Modelled:   N stations, a channel with one slot from each to the next, and
 *             a visitor who puts the token into the ring and then goes in and
 *             out for ever.
 * Abstracted: what the stations work at. Without the token they do nothing,
 *             so the model grows with N only, not with a power of it: hundreds
 *             of stations can be checked.
 * Checked:    never two stations work at the same time (assertion and the
 *             formula alone), and the system never gets stuck. The formula
 *             served says that the last station works again and again. It is
 *             violated: nothing but the visitor may move. Who can pass the
 *             token on can do so as long as he has not, so it holds under
 *             weak fairness (lariat check --fair weak).
 *
 * The model has no atomic step: its transitions can be counted one by one.
 */

#ifndef N
#define N 60
#endif

chan token[N] = [1] of { bit };
byte at_work;                   /* how many stations work: for the check only */
bool inside;                    /* is the visitor inside? */

active [N] proctype Station()
{
    do
    :: token[_pid]?_;
       at_work++;
working:
       assert(at_work == 1);
       at_work--;
       token[(_pid + 1) % N]!1
    od
}

active proctype Visitor()
{
    token[0]!1;
    do
    :: inside = !inside
    od
}

ltl alone  { [] (at_work <= 1) }
ltl served { [] <> (Station[N - 1]@working) }
