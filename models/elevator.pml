/*
 * An elevator that sweeps up and down.
 *
 * The elevator keeps its direction as long as somebody waits ahead, then turns
 * if somebody waits behind, and rests when nobody waits. A fire alarm takes
 * it to the ground floor at once, where it stays with open doors.
 *
 * Modelled:   FLOORS floors with a button each, that may be pressed at any
 *             time; the buttons pressed are the bits of one byte; an alarm
 *             that may come once, or never.
 * Abstracted: time, and who travels where.
 * Checked:    the elevator never moves with open doors (formula doors), stays
 *             between the lowest and the highest floor (assertion), and serves
 *             the ground floor always (formula ground_served). The formula
 *             top_served is violated, because of the alarm; the formula
 *             top_served_or_alarm holds.
 */

#ifndef FLOORS
#define FLOORS 4                /* at most 8 */
#endif
#define TOP (FLOORS - 1)

mtype:way  = { up, down };
mtype:door = { open, closed };

byte calls;                     /* bit f is set: somebody waits on floor f */
byte floor;                     /* where the elevator is */
bool moving;
bool alarm;
mtype:way  way  = up;
mtype:door door = closed;

#define called_at(f)  (calls & (1 << (f)))
#define called_above  (calls >> (floor + 1))
#define called_below  (calls & ((1 << floor) - 1))

active [FLOORS] proctype Button()
{
end:
    do
    :: !called_at(_pid) -> calls = calls | (1 << _pid)
    od
}

inline move_one_floor()
{
    moving = true;
    floor = (way == up -> floor + 1 : floor - 1);
    assert(floor < FLOORS);
    moving = false
}

active proctype Elevator()
{
    {
end_rest:
        do
        :: calls != 0 ->
           if                                   /* serve this floor */
           :: called_at(floor) ->
              door = open;
              calls = calls & ~(1 << floor);
              door = closed
           :: else
           fi;
           if                                   /* choose the direction */
           :: way == up && !called_above && called_below -> way = down
           :: way == down && !called_below && called_above -> way = up
           :: else
           fi;
           if                                   /* and go, if there is need */
           :: (way == up && called_above) || (way == down && called_below) ->
              move_one_floor()
           :: else
           fi
        od
    } unless {
        alarm
    };

    moving = false;                             /* the alarm may come any time */
    door = closed;
    way = down;
    do
    :: floor > 0 -> move_one_floor()
    :: else -> break
    od;
    door = open
}

active proctype Fire()
{
    if
    :: alarm = true
    :: skip
    fi
}

#define at_ground (floor == 0 && door == open)
#define at_top    (floor == TOP && door == open)

ltl doors               { [] (moving -> door == closed) }
ltl ground_served       { [] (called_at(0) -> <> at_ground) }
ltl top_served          { [] (called_at(TOP) -> <> at_top) }
ltl top_served_or_alarm { [] (called_at(TOP) -> <> (at_top || alarm)) }
