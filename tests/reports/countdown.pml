/* A long way and a short way to the same failed assertion: a depth-first search takes the long one. */
byte left = 200;
bool alarm;

active proctype Guard() {
    (left < 198);
    alarm = true;
    assert(!alarm)
}

active proctype Clock() {
    do
    :: left > 0 -> left--
    :: left == 0 -> left = 200
    od
}
