/* Two blocks with a variable of the same name: the sentence does not guess which one is meant. */
byte x = 2;

active proctype P() {
    { byte own = 1; x = own }
    { byte own = 3; assert(own == x) }
}
