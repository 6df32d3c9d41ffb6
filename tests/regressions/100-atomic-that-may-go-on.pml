/* The sequence can be left, and may go on for ever as well. The second process never gets its turn then, and waits at its label. */
byte x, done;

active proctype P()
{
    progress: x = 1;
    accept: atomic {
        do
        :: x = 1
        :: break
        od
    };
    done = 1
}

active proctype Q()
{
    wait: done == 1
}
