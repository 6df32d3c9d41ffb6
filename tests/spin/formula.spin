ltl full_for_ever: <> ([] ((level==3)))
ltl low: [] ((level<3))
starting claim 2
Never claim moves to line 3	[(!((level==3)))]
  2:	proc  1 (Idle:1) formula.pml:13 (state 1)	[((n<2))]
  2:	proc  1 (Idle:1) formula.pml:13 (state 2)	[n = (n+1)]
		Idle(1):n = 1
Never claim moves to line 8	[(1)]
  4:	proc  1 (Idle:1) formula.pml:13 (state 1)	[((n<2))]
  4:	proc  1 (Idle:1) formula.pml:13 (state 2)	[n = (n+1)]
		Idle(1):n = 2
Never claim moves to line 3	[(!((level==3)))]
  6:	proc  1 (Idle:1) formula.pml:13 (state 3)	[else]
Never claim moves to line 8	[(1)]
  8: proc 1 terminates
  <<<<<START OF CYCLE>>>>>
Never claim moves to line 3	[(!((level==3)))]
 10:	proc  0 (Tank:1) formula.pml:7 (state 1)	[((level<3))]
 10:	proc  0 (Tank:1) formula.pml:7 (state 2)	[level = (level+1)]
		level = 1
Never claim moves to line 8	[(1)]
 12:	proc  0 (Tank:1) formula.pml:7 (state 1)	[((level<3))]
 12:	proc  0 (Tank:1) formula.pml:7 (state 2)	[level = (level+1)]
		level = 2
Never claim moves to line 3	[(!((level==3)))]
 14:	proc  0 (Tank:1) formula.pml:7 (state 1)	[((level<3))]
 14:	proc  0 (Tank:1) formula.pml:7 (state 2)	[level = (level+1)]
		level = 3
Never claim moves to line 8	[(1)]
 16:	proc  0 (Tank:1) formula.pml:8 (state 7)	[((level==3))]
 16:	proc  0 (Tank:1) formula.pml:8 (state 6)	[level = 0]
		level = 0
spin: trail ends after 16 steps
#processes: 1
		level = 0
 16:	proc  0 (Tank:1) formula.pml:6 (state 8)
 16:	proc  - (full_for_ever:1) _spin_nvr.tmp:2 (state 5)
2 processes created
