/* Labels that nobody sees, or only sometimes; and accept labels beside a claim. */
byte x;
chan c = [1] of { byte };

active proctype P()
{
    do
    :: accept_never: atomic { x = 1; x = 0 }
    :: atomic { x = 2; accept_inside: x = 3; progress_wait: c ! 1; progress_last: x = 0 }
    :: progress_handed_on: x = 4; x = 0
    :: d_step { x = 5; progress_d_step: x = 0 }
    :: z = 1
    od
}

never {
    accept: do
    :: x == 0
    od
}
