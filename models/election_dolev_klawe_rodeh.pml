/*
 * Leader election in a one-way ring: the algorithm of Dolev, Klawe and Rodeh
 * (1982), with O(N log N) messages.
 *
 * The nodes that still compete carry a value. In each phase such a node learns
 * the values of the two nearest competitors upstream. If the nearer value is
 * larger than both its own and the farther one, the node takes it over and
 * competes on; otherwise it becomes a mere relay. At least half of the
 * competitors retire in a phase. Who meets its own value again is alone.
 *
 * Modelled:   N nodes with first-in first-out links; all orders of the values
 *             1 .. N around the ring, except that node 0 always has the value
 *             1 (the other orders are rotations of these).
 * Abstracted: no node fails, no message is lost.
 * Checked:    the surviving value is the largest, and there is one leader
 *             only (assertions); every node learns of it (formula all_know).
 */

#ifndef N
#define N 5
#endif

mtype = { nearer, farther, done };

chan link[N] = [N] of { mtype, byte };  /* link[i] leads to node i */
byte leaders;                           /* how many nodes think they lead */
byte informed;                          /* how many know the election is over */

proctype Node(byte value; chan in, out)
{
    byte near, far;

compete:
    out!nearer(value);
    in?nearer(near);
    if
    :: near == value -> goto lead
    :: else
    fi;
    out!farther(near);
    in?farther(far);
    if
    :: near > value && near > far ->
       value = near;
       goto compete
    :: else
    fi;

    /* a relay only passes messages on, of whatever kind */
    do
    :: in?nearer(near)  -> out!nearer(near)
    :: in?farther(far)  -> out!farther(far)
    :: in?done(value)   -> out!done(value); break
    od;
    goto finish;

lead:
    assert(value == N);
    leaders++;
    assert(leaders == 1);
    out!done(value);
    in?done(eval(value));

finish:
    assert(value == N);
    informed++
}

init {
    byte value[N];
    byte i, j, swap;

    atomic {
        for (i : 0 .. N-1) {
            value[i] = i + 1
        }
        for (i : 1 .. N-1) {            /* shuffle all but the first */
            select (j : i .. N-1);
            swap = value[i];
            value[i] = value[j];
            value[j] = swap
        }
        for (i : 0 .. N-1) {
            run Node(value[i], link[i], link[(i + 1) % N])
        }
    }
}

ltl all_know { <> (informed == N) }
