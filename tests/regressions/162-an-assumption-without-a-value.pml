/* a[i] has no value, so nobody can say whether a run keeps an assumption about it: no run counts, and none
 * is proved to be none. */
byte i = 5;
byte a[2];
bit x;
active proctype P() { do :: x = 1 - x od }
