/*
 * Wheels that turn freely, and a hand that moves a few times.
 *
 * Depth-first search turns the first wheel round, the second by one tooth, the
 * first one round again, and so on: its path visits most of the positions of
 * the wheels before it turns back. So this is a test of depth and size, and of
 * nothing else.
 *
 * Modelled:   WHEELS wheels with TEETH teeth each, and a hand with HAND
 *             positions that does not come back: TEETH^WHEELS * HAND states.
 * Checked:    no wheel leaves its range (assertion).
 */

#ifndef TEETH
#define TEETH 272
#endif
#ifndef HAND
#define HAND 5
#endif
#define WHEELS 3

short wheel[WHEELS];
byte hand;

active [WHEELS] proctype Wheel()
{
end:
    do
    :: d_step {
           wheel[_pid] = (wheel[_pid] + 1) % TEETH;
           assert(wheel[_pid] < TEETH)
       }
    od
}

active proctype Hand()
{
end:
    do
    :: d_step { hand < HAND - 1 -> hand++ }
    od
}
