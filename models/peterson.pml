/*
 * Peterson's mutual exclusion algorithm for two processes (1981).
 *
 * Each process raises a flag, then gives the turn to the other one. It waits
 * as long as the other flag is up and the turn is the other's.
 *
 * Modelled:   two processes that enter and leave for ever; every read and
 *             write of a shared variable is a step of its own.
 * Abstracted: memory is sequentially consistent; the work done inside and
 *             outside the critical section is left out.
 * Checked:    never two processes inside (assertion, and formula exclusion);
 *             a waiting process is overtaken at most once (formula
 *             overtaken_once). The formula no_starvation is violated, because
 *             a run may ignore one process for ever; it holds under weak
 *             fairness.
 */

bool want[2];           /* flag of each process */
byte turn;              /* who may go first when both want to enter */
byte inside;            /* how many are inside: for the check only */

active [2] proctype Process()
{
    byte other = 1 - _pid;

    do
    :: want[_pid] = true;
       turn = other;
waiting:
       do
       :: want[other] ->
          if
          :: turn == _pid -> break
          :: else                       /* look again */
          fi
       :: else -> break
       od;
       inside++;
critical:
       assert(inside == 1);
       inside--;
       want[_pid] = false
    od
}

#define in0    (Process[0]@critical)
#define in1    (Process[1]@critical)
#define wait0  (Process[0]@waiting)

ltl exclusion      { [] !(in0 && in1) }
ltl overtaken_once { [] (wait0 -> (!in1 W (in1 W (!in1 W in0)))) }
ltl no_starvation  { [] (wait0 -> <> in0) }
