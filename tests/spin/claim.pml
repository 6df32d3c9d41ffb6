/* A never claim, before the process that it watches: the light is not switched off for ever after it was on. */
bool on
byte rounds

never {
    do
    :: on -> break
    :: true
    od
accept:
    do
    :: !on
    :: on && rounds > 1
    od
}

active proctype Light() {
    do
    :: on = true
    :: on = false
    :: rounds < 2 -> rounds++
    od
}
