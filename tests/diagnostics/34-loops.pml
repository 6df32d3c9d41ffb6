/* Loops and choices over the wrong things. */
chan c = [2] of { byte };
byte list[3];
byte i, total;

active proctype P() {
	for (c : 1 .. 3) { skip };
	for (i in total) { skip };
	for (i in lst) { total = total + list[i] };
	for (list[0] : 1 .. 3) { skip };
	for (i : 1, 3) { skip };
	for (i : 1 .. 3) skip;
	select (i : 1);
	select (i in list)
}
