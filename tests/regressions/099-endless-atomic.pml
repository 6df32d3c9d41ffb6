/* A run that stays inside an atomic sequence is a run. Nobody sees what happens there: the state in which the sequence began repeats. */
byte i;

active proctype P()
{
    i = 1;
    atomic {
        do
        :: i = 2; i = 1
        od
    }
}
