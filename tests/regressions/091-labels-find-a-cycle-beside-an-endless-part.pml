/* The accepting cycle is closed before the endless part (n grows) is entered. The check `tau` knew that, then looked at the
   whole component for the lasso, and did not end. */
byte s;
int n;

active proctype P() {
  do
  :: s == 0 -> s = 1
  :: s == 1 -> s = 0
  :: s == 0 -> n++
  od
}

ltl f { <> [] (n > 0) }
