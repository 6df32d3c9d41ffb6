/* The run comes back to its first state, hidden variable and all: the product has that state once. */
hidden byte seen;
byte x;

active proctype P()
{
    do
    :: x < 3 -> seen = x; x++
    :: x == 3 -> seen = 0; x = 0
    od
}

ltl p { [] <> (x == 0) }
