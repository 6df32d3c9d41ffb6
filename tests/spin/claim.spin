starting claim 0
Never claim moves to line 8	[(1)]
  2:	proc  0 (Light:1) claim.pml:19 (state 1)	[on = 1]
		on = 1
Never claim moves to line 7	[(on)]
  4:	proc  0 (Light:1) claim.pml:20 (state 2)	[on = 0]
		on = 0
  <<<<<START OF CYCLE>>>>>
Never claim moves to line 12	[(!(on))]
  6:	proc  0 (Light:1) claim.pml:20 (state 2)	[on = 0]
spin: trail ends after 6 steps
#processes: 1
		on = 0
		rounds = 0
  6:	proc  0 (Light:1) claim.pml:18 (state 5)
  6:	proc  - (never_0:1) claim.pml:11 (state 9)
1 processes created
