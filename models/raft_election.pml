/*
 * Leader election of the Raft consensus protocol (Ongaro and Ousterhout, 2014).
 *
 * Time is divided into terms. A server that hears no leader starts a new term,
 * votes for itself and asks the others for their votes. A server gives one
 * vote per term, to the first who asks. Who has the votes of a majority is the
 * leader of the term. Whoever sees a larger term moves to it as a follower.
 *
 * Modelled:   N servers and terms up to TERMS; an election timeout may come at
 *             any time; messages may be lost. Each event is handled in one
 *             step (d_step), since servers share nothing but messages.
 * Abstracted: there is no log and there are no heartbeats: only the election.
 * Checked:    at most one leader in each term (assertion). The formula
 *             some_leader is violated: votes may be split or lost, and then a
 *             term has no leader at all.
 *
 * The model has no atomic step: its transitions can be counted one by one.
 */

#ifndef N
#define N 3
#endif
#ifndef TERMS
#define TERMS 2
#endif
#define NOBODY 255
#define ROOM (2 * (N - 1) * TERMS)      /* no server ever gets more messages */

mtype = { follower, candidate, leader };        /* roles */
mtype = { ask, grant };                         /* messages */

chan inbox[N] = [ROOM] of { mtype, byte, byte };        /* kind, term, from */
byte leaders[TERMS + 1];                                /* in each term */
bool ever_led;                                          /* in any term */

active [N] proctype Server()
{
    mtype role = follower;
    byte term, votes;
    byte voted_for = NOBODY;
    byte t, from, k;            /* used inside of a step only */

end:
    do
    :: d_step {
           role != leader && term < TERMS ->    /* election timeout */
           term++;
           role = candidate;
           voted_for = _pid;
           votes = 1;
           for (k : 0 .. N-1) {
               if
               :: k != _pid -> inbox[k]!ask(term, _pid)
               :: else
               fi
           }
           k = 0
       }
    :: d_step {
           inbox[_pid]?ask(t, from) ->
           if
           :: t > term ->
              term = t;
              role = follower;
              voted_for = NOBODY;
              votes = 0
           :: else
           fi;
           if
           :: t == term && (voted_for == NOBODY || voted_for == from) ->
              voted_for = from;
              inbox[from]!grant(term, _pid)
           :: else
           fi;
           t = 0;
           from = 0
       }
    :: d_step {
           inbox[_pid]?grant(t, from) ->
           if
           :: t == term && role == candidate ->
              votes++;
              if
              :: votes > N / 2 ->
                 role = leader;
                 leaders[term]++;
                 ever_led = true;
                 assert(leaders[term] == 1)
              :: else
              fi
           :: else                      /* too late, or for an older term */
           fi;
           t = 0;
           from = 0
       }
    :: inbox[_pid]?_,_,_                /* the message is lost */
    od
}

ltl some_leader { <> ever_led }
