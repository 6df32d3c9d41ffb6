/* A run-time error behind some steps: what the statement read is told. */
byte a[3], x;

active proctype P() {
    do
    :: x < 3 -> x++
    :: x == 3 -> a[x] = 1
    od
}
