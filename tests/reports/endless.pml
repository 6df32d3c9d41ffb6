/* A run that enters the atomic sequence never leaves it. */
byte x;
active proctype P() { x = 1; atomic { do :: x = 2; x = 1 od } }
