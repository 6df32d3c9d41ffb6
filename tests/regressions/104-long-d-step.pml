/* A d_step may take long. It never ends if it comes to the same state again, and only then. */
int i, j;

active proctype P()
{
    d_step {
        do
        :: i < 3000000 -> i++
        :: else -> break
        od
    };
    if
    :: true
    :: d_step {
        do
        :: j < 1000 -> j++
        :: else -> j = 0
        od
    }
    fi
}
