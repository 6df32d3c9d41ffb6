/* A violation is near for a search that goes deep, and behind thousands of millions of states for one that goes level by level. To look for a shortest run is limited
   as everything is, and what has been found stays found. */
byte a, b, c, d, e;

active proctype P()
{
	do
	:: a = (a + 1) % 100
	:: b = (b + 1) % 100
	:: c = (c + 1) % 100
	:: d = (d + 1) % 100
	:: e = (e + 1) % 100
	od
}
