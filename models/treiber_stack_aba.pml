/*
 * A lock-free stack (Treiber, 1986) with the ABA error.
 *
 * The stack is a linked list. To pop, a thread reads the top node and its
 * successor, then swings the top to the successor with compare-and-swap
 * (CAS). CAS only compares addresses: if meanwhile the node was popped, its
 * successor too, and the first node was pushed again, CAS succeeds although
 * the successor is no longer in the stack.
 *
 * Modelled:   THREADS threads that pop nodes and push back what they hold, in
 *             any order, OPS operations each; CAS is a d_step, every other
 *             access to shared memory is a step of its own.
 * Abstracted: the nodes carry no data.
 * Checked:    no thread gets a node that somebody still holds. This fails
 *             (assertion in pop).
 *
 * With -DTAGGED the top carries a counter that every successful CAS advances.
 * Then an old top is recognised as such, and the error is gone.
 */

#ifndef THREADS
#define THREADS 2
#endif
#ifndef NODES
#define NODES 3
#endif
#ifndef OPS
#define OPS 3
#endif
#define NIL 0                   /* nodes are numbered from 1 */

byte next[NODES + 1];           /* successor of each node */
byte top = NIL;                 /* first node of the stack */
byte tag;                       /* stays 0 without -DTAGGED */
byte holder[NODES + 1];         /* thread that holds the node, 0 = none */

/* if the top is still old, replace it by new */
inline cas_top(old, old_tag, new, success)
{
    d_step {
        if
        :: top == old && tag == old_tag ->
           top = new;
#ifdef TAGGED
           tag++;
#endif
           success = true
        :: else ->
           success = false
        fi
    }
}

inline push(n)
{
    do
    :: d_step { old = top; old_tag = tag };
       next[n] = old;
       cas_top(old, old_tag, n, ok);
       if
       :: ok -> break
       :: else                          /* somebody was faster: try again */
       fi
    od
}

inline pop()
{
    do
    :: d_step { old = top; old_tag = tag };
       if
       :: old == NIL -> break           /* the stack is empty */
       :: else
       fi;
       succ = next[old];
       cas_top(old, old_tag, succ, ok);
       if
       :: ok ->
          assert(holder[old] == 0);     /* nobody else has this node */
          holder[old] = _pid;
          break
       :: else
       fi
    od
}

proctype Thread()
{
    byte old, old_tag, succ, n, op;
    bool ok;

    for (op : 1 .. OPS) {
        if
        :: pop()
        :: select (n : 1 .. NODES);     /* push a node, if it is mine */
           if
           :: holder[n] == _pid ->
              holder[n] = 0;
              push(n)
           :: else
           fi
        fi;
        ok = false;                     /* forget: this keeps the states few */
        d_step { old = 0; old_tag = 0; succ = 0; n = 0 }
    }
}

init {
    byte i;

    atomic {
        for (i : 1 .. NODES) {          /* all nodes are in the stack */
            next[i] = top;
            top = i
        }
        for (i : 1 .. THREADS) {
            run Thread()
        }
    }
}
