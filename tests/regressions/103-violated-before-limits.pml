/* The limit of processes, and a d_step that never ends, break a run off as other errors do. */
byte i;

proctype Q(byte n)
{
    i = n;
    run Q(1)
}

active proctype P()
{
    i = 1;
    if
    :: run Q(1)
    :: i = 3; d_step { do :: i = 4; i = 3 od }
    fi
}
