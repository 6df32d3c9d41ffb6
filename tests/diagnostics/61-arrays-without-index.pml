/* An array is used element by element. */
mtype = { CRED };
chan back[2] = [1] of { mtype, byte };
byte count[3], n;
typedef Row { byte cell[2] };
Row rows[2];

active proctype P() {
	byte own[4];
	back!CRED(1);
	back?CRED(n);
	n = len(back) + own;
	count++;
	rows[0].cell = 1;
	rows.cell[1] = 2;
	full(back) -> back?[CRED, _];
	own(n) = 2;
	n = count(n + 1);
	for (n in own) { skip }
}
