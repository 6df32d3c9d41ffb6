/*
 * Paxos, single decree (Lamport, 1998): processes agree on one value.
 *
 * A proposer asks the acceptors to promise that they ignore smaller ballots.
 * With the promises of a majority it proposes a value: the one accepted in the
 * largest ballot it heard of, or its own if it heard of none. A value that a
 * majority accepts in the same ballot is chosen, once and for all.
 *
 * Modelled:   PROPOSERS proposers, with one ballot each, and ACCEPTORS
 *             acceptors. Any message to an acceptor may be lost. Promises
 *             are not lost, but a proposer reads only the first majority.
 * Abstracted: an acceptor handles a message in one step. There are no
 *             learners: the votes are counted in the step in which they are
 *             cast.
 * Checked:    no two different values are chosen (assertion). That a value is
 *             chosen at all cannot be promised: the formula decision is
 *             violated.
 *
 * The model has no atomic step: its transitions can be counted one by one.
 */

#ifndef PROPOSERS
#define PROPOSERS 2
#endif
#ifndef ACCEPTORS
#define ACCEPTORS 3
#endif
#define MAJORITY (ACCEPTORS / 2 + 1)

mtype = { prepare, accept };

typedef Promise {
    byte ballot;                /* largest ballot accepted so far, 0 = none */
    byte value                  /* and its value */
};

/* to an acceptor: kind, ballot, value (0 in a prepare message) */
chan acceptor[ACCEPTORS] = [2 * PROPOSERS] of { mtype, byte, byte };
/* to a proposer: a promise */
chan proposer[PROPOSERS] = [ACCEPTORS] of { Promise };

byte votes[PROPOSERS + 1];      /* for each ballot */
byte chosen;                    /* the chosen value, 0 = none yet */

active [PROPOSERS] proctype Proposer()  /* process ids from 0 */
{
    byte ballot = _pid + 1;     /* ballots differ from each other */
    byte value = _pid + 1;      /* and so do the proposed values */
    byte i, best;
    Promise p;

    for (i : 0 .. ACCEPTORS-1) {
        acceptor[i]!prepare(ballot, 0)
    }
    for (i : 1 .. MAJORITY) {
end_no_majority:
        proposer[_pid]?p;
        if
        :: p.ballot > best -> best = p.ballot; value = p.value
        :: else
        fi
    }
    for (i : 0 .. ACCEPTORS-1) {
        acceptor[i]!accept(ballot, value)
    }
}

active [ACCEPTORS] proctype Acceptor()
{
    byte me = _pid - PROPOSERS;
    byte promised;
    Promise last;
    byte ballot, value;         /* used inside of a step only */

end:
    do
    :: d_step {
           acceptor[me]?prepare(ballot, _) ->
           if
           :: ballot > promised ->
              promised = ballot;
              proposer[ballot - 1]!last
           :: else
           fi;
           ballot = 0
       }
    :: d_step {
           acceptor[me]?accept(ballot, value) ->
           if
           :: ballot >= promised ->
              promised = ballot;
              last.ballot = ballot;
              last.value = value;
              votes[ballot]++;
              if
              :: votes[ballot] == MAJORITY ->
                 assert(chosen == 0 || chosen == value);
                 chosen = value
              :: else
              fi
           :: else
           fi;
           ballot = 0;
           value = 0
       }
    :: acceptor[me]?_,_,_               /* the message is lost */
    od
}

ltl decision { <> (chosen != 0) }
