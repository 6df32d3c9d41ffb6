/*
 * Leader election with extinction, again and again: the same node wins.
 *
 * Every node starts a wave that carries its identity through the network. A
 * node that hears of a larger identity gives up the wave it is in and joins
 * that one: it remembers who told it, its father, and tells its other
 * neighbour. Smaller identities become extinct. A node that has heard the
 * identity of its wave from both neighbours sends it back to its father: the
 * echo. The node whose own wave has come back from everywhere is the leader,
 * and announces it; everybody passes the announcement on once. Who has heard
 * it from both neighbours rests, and starts the next election when it likes.
 *
 * Modelled:   three nodes, each with a link to each other one; links are
 *             first-in first-out. Elections overlap: a node may be in the next
 *             one while others still learn who won this one. What it sends
 *             waits in the links.
 * Abstracted: no node fails, no message is lost.
 * Checked:    all waves are extinct when a leader is announced (assertion). The
 *             formulas below are of all kinds that tell algorithms for Büchi
 *             automata apart: with weak and strong automata, true and false. As
 *             node 2 wins every time, those by which node 0 or 1 leads now and
 *             then are violated: zero_leads, two_then_zero, two_so_zero and
 *             both_so_one. No agreement lasts (rest_at_last), and of two nodes
 *             either may learn the name of the leader first, again and again
 *             (one_is_first).
 *
 * election_extinction_turns.pml is the same with identities that change hands.
 */

#define N      3
#define NOBODY N
#define ROOM   3                        /* no link ever has to hold more */

#define identity (_pid + 1)

mtype = { wave, leader };

/* The neighbours of a node are 1 (the next one) and 2 (the next but one). */
#define BOTH            3               /* of them, as bits */
#define from(neighbour) link[2 * _pid + (neighbour) - 1]
#define to(neighbour)   link[2 * ((_pid + (neighbour)) % N) + 2 - (neighbour)]

chan link[2 * N] = [ROOM] of { mtype, byte };
byte follows[N] = NOBODY;               /* whom each node takes for leader */

inline hear(neighbour)
{
    d_step {
        !(told & neighbour) && nempty(from(neighbour)) ->
        from(neighbour)?kind(value);
        assert(kind != wave || told == 0)
    }
}

inline handle(neighbour)
{
    if
    :: kind == wave && value > best ->          /* join it, pass it on */
       d_step {
           best = value;
           father = neighbour;
           heard = 1
       }
       to(BOTH - neighbour)!wave(best)
    :: kind == wave && value == best ->
       heard++;
       if
       :: heard < 2
       :: heard == 2 && best == identity ->
          follows[_pid] = _pid;
          to(1)!leader(_pid);
          to(2)!leader(_pid)
       :: heard == 2 && best != identity ->
          to(father)!wave(best)                 /* the echo */
       fi
    :: kind == wave && value < best             /* extinct */
    :: kind == leader ->
       told = told | neighbour;
       if
       :: follows[_pid] == NOBODY ->
          follows[_pid] = value;
          to(1)!leader(value);
          to(2)!leader(value)
       :: else
       fi
    fi
}

active [N] proctype Node()
{
    byte best, father, heard;   /* the wave: its identity, who told, how many */
    byte told = BOTH;           /* who has announced the leader; both: at rest */
    mtype kind;
    byte value;

end:
    do
    :: d_step {                         /* start a wave */
           told == BOTH ->
           told = 0;
           follows[_pid] = NOBODY;
           best = identity;
           father = 0;
           heard = 0
       }
       to(1)!wave(best);
       to(2)!wave(best)
    :: hear(1);
       handle(1)
    :: hear(2);
       handle(2)
    od
}

#define leads(i)  (follows[i] == i)
#define elects(i) (follows[i] == NOBODY)
#define agreed    (!elects(0) && follows[0] == follows[1] && follows[1] == follows[2])
#define first(i, j) (elects(j) && !elects(i))

/* their negations have weak automata */
ltl one_leader    { [] !((leads(0) && leads(1)) || (leads(0) && leads(2)) || (leads(1) && leads(2))) }
ltl decided       { [] (elects(0) -> <> !elects(0)) }
ltl all_agree     { [] <> agreed }
ltl zero_leads    { [] <> leads(0) }
ltl waits_for_two { [] (elects(0) -> (elects(0) U follows[0] == 2)) }
ltl two_then_zero { [] (leads(2) -> (!leads(1) U leads(0))) }

/* strong automata */
ltl rest_at_last  { <> [] agreed }
ltl two_for_ever  { <> [] (elects(0) || follows[0] == 2) }
ltl elects_so_two { ([] <> elects(1)) -> ([] <> leads(2)) }
ltl two_so_zero   { ([] <> leads(2)) -> ([] <> leads(0)) }
ltl both_so_one   { (([] <> leads(2)) && ([] <> elects(0))) -> ([] <> leads(1)) }
ltl one_is_first  { (<> [] !first(1, 0)) || (<> [] !first(0, 1)) }
