/* Declarations that do not read. */
byte len;
bytes y;
hidden bit h;
hidden chan hc = [1] of { byte };
mtype { a, b 3 };
typedef Empty { };
typedef Late { Later field };
typedef Later { byte x };
chan c = [2] of byte;
chan d = 2 of { byte };
int e[3;
bool ok = maybe;
