/* Claims that are violated in other ways: one comes to its end, one needs several rounds of the run's cycle, one
   accepts because nothing happens any more. */
byte x;
bool asked, stopped;

active proctype P() {
    do
    :: x < 3 -> x++
    :: x == 3 -> x = 0; asked = true
    :: stopped = true; break
    od
}

never ends {
    do
    :: !asked
    :: asked -> break
    od;
    do :: x < 2 :: x == 2 -> break od
}

never changes {
accept_even:
    do :: x < 4 -> goto odd od;
odd:
    do :: x < 4 -> goto accept_even od
}

never waits {
    do
    :: !stopped
    :: stopped -> goto accept_still
    od;
accept_still:
    do :: true od
}
