/*
 * Leader election in a one-way ring: the algorithm of Chang and Roberts (1979).
 *
 * Every node sends its identity to its neighbour. A node passes on identities
 * larger than its own and swallows smaller ones. The node that receives its
 * own identity back is the leader, and tells so around the ring.
 *
 * Modelled:   N nodes with first-in first-out links; init tries every order
 *             of the identities 1 .. N around the ring.
 * Abstracted: no node fails, no message is lost.
 * Checked:    the leader is the node with the largest identity, everybody
 *             learns its name, no message stays behind (assertions), there is
 *             never a second leader (formula one_leader), and a leader is
 *             always found (formula elected).
 */

#ifndef N
#define N 4
#endif

mtype = { candidate, leader };

chan link[N] = [N] of { mtype, byte };  /* link[i] leads to node i */
byte leaders;                           /* how many nodes think they lead */

proctype Node(byte id; chan in, out)
{
    byte seen;

    out!candidate(id);
    do
    :: in?candidate(seen) ->
       if
       :: seen > id -> out!candidate(seen)
       :: seen < id                     /* swallowed */
       :: seen == id ->
          assert(id == N);
          leaders++;
          out!leader(id)
       fi
    :: in?leader(seen) ->
       if
       :: seen == id
       :: else -> out!leader(seen)
       fi;
       break
    od;
    assert(seen == N);
    assert(empty(in))
}

init {
    byte id[N];
    byte i, j, swap;

    atomic {
        for (i : 0 .. N-1) {
            id[i] = i + 1
        }
        for (i : 0 .. N-1) {            /* shuffle, in all possible ways */
            select (j : i .. N-1);
            swap = id[i];
            id[i] = id[j];
            id[j] = swap
        }
        for (i : 0 .. N-1) {
            run Node(id[i], link[i], link[(i + 1) % N])
        }
    }
}

ltl one_leader { [] (leaders <= 1) }
ltl elected    { <> (leaders == 1) }
