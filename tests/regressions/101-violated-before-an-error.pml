/* What a run has shown before a run-time error is shown, whatever would have come after it. */
byte x = 1, i;

active proctype P()
{
    i = 1;
    i = 2;
    x = 1 / (x - 1)
}

never {
    do
    :: i == 2 -> break
    :: else
    od
}
