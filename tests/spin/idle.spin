starting claim 2
spin: couldn't find claim 2 (ignored)
  2:	proc  1 (Idles:1) idle.pml:14 (state 1)	[y = 1]
		Idles(1):y = 1
  2:	proc  1 (Idles:1) idle.pml:14 (state 2)	[y = 2]
		Idles(1):y = 2
  <<<<<START OF CYCLE>>>>>
  4:	proc  1 (Idles:1) idle.pml:14 (state 3)	[x = x]
  6:	proc  1 (Idles:1) idle.pml:14 (state 1)	[y = 1]
		Idles(1):y = 1
  6:	proc  1 (Idles:1) idle.pml:14 (state 2)	[y = 2]
		Idles(1):y = 2
spin: trail ends after 6 steps
#processes: 2
		x = 0
  6:	proc  1 (Idles:1) idle.pml:14 (state 3)
		Idles(1):y = 2
  6:	proc  0 (Works:1) idle.pml:5 (state 3)
2 processes created
