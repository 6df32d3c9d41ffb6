/*
 * The lock-free queue of Michael and Scott (1996).
 *
 * A linked list with a dummy node in front. An enqueuer hangs its node on the
 * last one with compare-and-swap (CAS), then moves the tail; a thread that
 * finds the tail behind helps to move it. A dequeuer moves the head with CAS.
 *
 * Modelled:   PRODUCERS threads that enqueue ITEMS values each, CONSUMERS
 *             threads that dequeue until all is consumed; CAS is a d_step,
 *             every other access to shared memory is a step of its own.
 * Abstracted: nodes are not reused, so there is no ABA problem (for that, see
 *             treiber_stack_aba.pml).
 * Checked:    the queue behaves like an ideal one: a channel, order, gets each
 *             value in the very step that hangs it on the list, and gives it
 *             back in the step that moves the head. The values must agree.
 *             In the end nothing is left over (assertions).
 */

#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef CONSUMERS
#define CONSUMERS 2
#endif
#ifndef ITEMS
#define ITEMS 1
#endif
#define TOTAL (PRODUCERS * ITEMS)
#define NIL 0                   /* node 0 is the first dummy, never a successor */

typedef Node {
    byte value;
    byte next
};

Node node[TOTAL + 1];
byte head, tail;
byte consumed;
chan order = [TOTAL] of { byte };       /* the ideal queue */

inline cas(place, old, new)
{
    d_step {
        if
        :: place == old -> place = new
        :: else
        fi
    }
}

active [PRODUCERS] proctype Producer()
{
    byte i, mine, last, after;
    bool done;

    for (i : 1 .. ITEMS) {
        mine = _pid * ITEMS + i;        /* a fresh node; its value is its number */
        node[mine].value = mine;
        done = false;
        do
        :: !done ->
           last = tail;
           after = node[last].next;
           if
           :: last != tail              /* the tail moved: look again */
           :: else ->
              if
              :: after != NIL -> cas(tail, last, after)     /* help */
              :: else ->
                 d_step {               /* CAS of the last node's successor */
                     if
                     :: node[last].next == NIL ->
                        node[last].next = mine;
                        order!mine;
                        done = true
                     :: else
                     fi
                 }
              fi
           fi
        :: else -> break
        od;
        cas(tail, last, mine)
    }
}

active [CONSUMERS] proctype Consumer()
{
    byte first, last, after, value, ideal;

    do
    :: consumed < TOTAL ->
       first = head;
       last = tail;
       after = node[first].next;
       if
       :: first != head                 /* the head moved: look again */
       :: first == head && first == last ->
          if
          :: after == NIL               /* the queue was empty */
          :: else -> cas(tail, last, after)                 /* help */
          fi
       :: else ->
          value = node[after].value;
          d_step {                      /* CAS of the head */
              if
              :: head == first ->
                 head = after;
                 order?ideal;
                 assert(value == ideal);
                 consumed++
              :: else
              fi
          }
       fi
    :: else -> break
    od;
    assert(empty(order))
}
