/* The claim looks at the third state: it counts steps. Reduction would let Counter go first, and then x is 1
   later only. */
byte x;

active proctype Setter()
{
    byte mine;

    mine = 1;
    x = mine
}

active proctype Counter()
{
    byte mine;

    mine = 1;
    mine = 2;
    mine = 3
}

never {
first:
    if
    :: true -> goto second
    fi;
second:
    if
    :: true -> goto third
    fi;
third:
    if
    :: x == 1 -> goto accept_all
    fi;
accept_all:
    do
    :: true
    od
}
