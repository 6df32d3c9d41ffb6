/* A never claim that has seen enough once x is large: the run is decided before it ends. */
byte x

never {
    do
    :: x > 2 -> break
    :: true
    od
accept:
    do
    :: true
    od
}

active proctype Count() { byte y; y = 1; x = y; atomic { x++; x++ } y = 2; x++ }
