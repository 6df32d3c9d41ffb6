/* What reduction must keep: a process that goes round on its own must not keep another one waiting for ever
 * (somebody else's step would never be seen), and a step that a formula sees must not be left out. A formula
 * with X that tells stuttering apart is checked without reduction; fairness too.
 */
byte x, y;

active proctype Busy()
{
    byte mine;
    do
    :: mine = 1 - mine
    od
}

active proctype Writer()
{
    byte mine;
    mine = 1;
    x = mine;
    mine = 2;
    y = mine;
    assert(x == 0)
}
