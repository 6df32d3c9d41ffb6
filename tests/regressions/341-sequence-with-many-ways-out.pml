/* An atomic sequence of 24,000 steps that can be left after each second one. Written out for every way out,
   the steps that lead there take the square of that: 1.7 GB here, beyond every limit. */
int i;

active proctype P() {
	atomic {
		do
		:: i < 12000 -> i++
		:: break
		od
	}
}
