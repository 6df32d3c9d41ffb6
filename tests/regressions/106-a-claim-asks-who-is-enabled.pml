/* It is the claim that asks, not process 0. */
byte x;

active proctype A()
{
    do
    :: x = 1 - x
    od
}

never {
    accept: do
    :: enabled(0)
    od
}
