/* A claim, labels, and an atomic sequence, inside which no property looks. */
byte x;

active proctype P() {
    do
    :: atomic { x = 1; x = 2; x = 3 }
       accept_here: x = 0
    :: progress_here: x == 0 -> skip
    od
}

never {
    do
    :: x == 3 -> break
    :: true
    od;
    accept_all: do
    :: x != 2
    od
}
