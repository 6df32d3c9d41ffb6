/* One process makes progress, the other can go round without it. */
byte x

active proctype Works() {
    do
    :: x = 1
progress:  x = 0
    od
}

active proctype Idles() {
    byte y
    do
    :: y = 1; y = 2; x = x
    od
}
