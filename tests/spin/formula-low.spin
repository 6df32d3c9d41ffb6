ltl full_for_ever: <> ([] ((level==3)))
ltl low: [] ((level<3))
starting claim 3
Never claim moves to line 15	[(1)]
  2:	proc  1 (Idle:1) formula.pml:13 (state 1)	[((n<2))]
  2:	proc  1 (Idle:1) formula.pml:13 (state 2)	[n = (n+1)]
		Idle(1):n = 1
  4:	proc  1 (Idle:1) formula.pml:13 (state 1)	[((n<2))]
  4:	proc  1 (Idle:1) formula.pml:13 (state 2)	[n = (n+1)]
		Idle(1):n = 2
  6:	proc  1 (Idle:1) formula.pml:13 (state 3)	[else]
  8: proc 1 terminates
 10:	proc  0 (Tank:1) formula.pml:7 (state 1)	[((level<3))]
 10:	proc  0 (Tank:1) formula.pml:7 (state 2)	[level = (level+1)]
		level = 1
 12:	proc  0 (Tank:1) formula.pml:7 (state 1)	[((level<3))]
 12:	proc  0 (Tank:1) formula.pml:7 (state 2)	[level = (level+1)]
		level = 2
 14:	proc  0 (Tank:1) formula.pml:7 (state 1)	[((level<3))]
 14:	proc  0 (Tank:1) formula.pml:7 (state 2)	[level = (level+1)]
		level = 3
spin: _spin_nvr.tmp:14, Error: assertion violated
spin: text of failed assertion: assert(!(!((level<3))))
Never claim moves to line 14	[assert(!(!((level<3))))]
spin: trail ends after 15 steps
#processes: 1
		level = 3
 15:	proc  0 (Tank:1) formula.pml:6 (state 8)
 15:	proc  - (low:1) _spin_nvr.tmp:13 (state 6)
2 processes created
