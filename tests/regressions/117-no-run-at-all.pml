/* Every run ends. Where runs that end do not count there is none, and everything holds: that has to be said. */
byte x;

active proctype P() { x = 1; x = 2 }
active proctype Q() { x == 2 -> x = 3 }
