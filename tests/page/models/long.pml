/* A run of 100,002 steps. */
int n;
active proctype P() {
    do
    :: n < 50000 -> n = n + 1
    :: else -> break
    od;
    assert(false)
}
