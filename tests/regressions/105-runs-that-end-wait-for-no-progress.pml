/* A run that ends is no non-progress cycle: `np_` is false where its last state repeats. When that state is read first, it may be true. */
byte x;

active proctype A()
{
    progress: x = 1;
    x = 2;
    end: false
}

never {
    do
    :: x == 2 && np_ -> break
    :: true
    od
}
