/* A depth-first search comes upon the failed assertion after 805 transitions; 9 are enough, and are cheap to find. What was
   counted stays what the search has counted. */
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
