/* The formula asks for an element that the array does not have, in states from which everything else is plain:
   no state is skipped because of that, and nothing is said to hold. */
byte a, list[3];

active proctype Counter() {
    do
    :: a < 4 -> a++
    :: a > 0 -> a--
    od
}

/* So that a stored state has more than a few bytes. */
active [5] proctype Clock() {
    byte k;
    do
    :: k < 2 -> k++
    :: k == 2 -> k = 0
    od
}
