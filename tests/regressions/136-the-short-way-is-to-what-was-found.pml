/* The search comes upon the assertion far away first. A run that gets stuck is much shorter, but it shows something else: the
   short run must be one to the assertion. */
byte x;

active proctype Stuck() {
    if
    :: x == 0 -> x = 250; false
    :: x == 251 -> skip
    fi
}

active proctype Count() {
    do
    :: x < 40 -> x = x + 1
    :: x == 20 -> x = 40
    :: x == 40 -> assert(x == 0)
    :: x == 250 -> break
    od
}
