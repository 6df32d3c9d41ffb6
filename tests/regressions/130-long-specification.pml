/* Blocks of four letters, each an a or a b, with a c before each; a d, and a last block, which is the first one again; then c for ever.
 * The formula says that a block before the d is the one behind it. Translated at once, its demands multiply over letters
 * that its invariants exclude only a step later: it was refused. So was its negation, which is what is searched for. */
mtype = { a1, b1, a2, b2, a3, b3, a4, b4, c, d };
mtype letter = c;
bit first, second, third, fourth;
#define A1 (letter == a1)
#define B1 (letter == b1)
#define A2 (letter == a2)
#define B2 (letter == b2)
#define A3 (letter == a3)
#define B3 (letter == b3)
#define A4 (letter == a4)
#define B4 (letter == b4)
#define C (letter == c)
#define D (letter == d)

active proctype writer()
{
  if :: d_step { letter = a1; first = 0 } :: d_step { letter = b1; first = 1 } fi;
  if :: d_step { letter = a2; second = 0 } :: d_step { letter = b2; second = 1 } fi;
  if :: d_step { letter = a3; third = 0 } :: d_step { letter = b3; third = 1 } fi;
  if :: d_step { letter = a4; fourth = 0 } :: d_step { letter = b4; fourth = 1 } fi;
  letter = c;
  letter = d;
  letter = (first -> b1 : a1);
  letter = (second -> b2 : a2);
  letter = (third -> b3 : a3);
  letter = (fourth -> b4 : a4);
  letter = c
}

ltl repeats {
  C && X (A1 || B1 || D) && [] (C -> !D) && [] (((A1 || B1) -> X (A2 || B2)) && ((A2 || B2) -> X (A3
  || B3)) && ((A3 || B3) -> X (A4 || B4))) && [] ((A4 || B4) -> X (C && X (A1 || B1 || D || [] C))) &&
  (!D U (D && X ((A1 || B1) && X X X X [] C))) && <> (C && X (!C && (((A1 && <> (D && <> A1)) || (B1
  && <> (D && <> B1)) || (A2 && <> (D && <> A2)) || (B2 && <> (D && <> B2)) || (A3 && <> (D && <> A3))
  || (B3 && <> (D && <> B3)) || (A4 && <> (D && <> A4)) || (B4 && <> (D && <> B4))) U C))) && [] ((C
  || D) -> !(A1 || A2 || A3 || A4 || B1 || B2 || B3 || B4)) && [] ((A1 -> !B1) && (A2 -> !B2) && (A3
  -> !B3) && (A4 -> !B4))
}

ltl never_repeats {
  !(
  C && X (A1 || B1 || D) && [] (C -> !D) && [] (((A1 || B1) -> X (A2 || B2)) && ((A2 || B2) -> X (A3
  || B3)) && ((A3 || B3) -> X (A4 || B4))) && [] ((A4 || B4) -> X (C && X (A1 || B1 || D || [] C))) &&
  (!D U (D && X ((A1 || B1) && X X X X [] C))) && <> (C && X (!C && (((A1 && <> (D && <> A1)) || (B1
  && <> (D && <> B1)) || (A2 && <> (D && <> A2)) || (B2 && <> (D && <> B2)) || (A3 && <> (D && <> A3))
  || (B3 && <> (D && <> B3)) || (A4 && <> (D && <> A4)) || (B4 && <> (D && <> B4))) U C))) && [] ((C
  || D) -> !(A1 || A2 || A3 || A4 || B1 || B2 || B3 || B4)) && [] ((A1 -> !B1) && (A2 -> !B2) && (A3
  -> !B3) && (A4 -> !B4))
  )
}
