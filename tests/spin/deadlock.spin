Starting Once with pid 1
  1:	proc  0 (:init::1) deadlock.pml:16 (state 1)	[(run Once())]
  2:	proc  1 (Once:1) deadlock.pml:12 (state 1)	[(1)]
  3: proc 1 terminates
Starting Peer with pid 1
  4:	proc  0 (:init::1) deadlock.pml:17 (state 2)	[(run Peer(left,right))]
  5:	proc  0 (:init::1) deadlock.pml:18 (state 3)	[left!1]
  6:	proc  1 (Peer:1) deadlock.pml:8 (state 1)	[mine?got]
		Peer(1):got = 1
  6:	proc  1 (Peer:1) deadlock.pml:8 (state 2)	[got = (got+1)]
		Peer(1):got = 2
  6:	proc  1 (Peer:1) deadlock.pml:8 (state 3)	[started = 1]
		started = 1
		Peer(1):got = 2
  7:	proc  1 (Peer:1) deadlock.pml:9 (state 5)	[other!got]
  8:	proc  0 (:init::1) deadlock.pml:19 (state 4)	[right?answer]
		:init:(0):answer = 2
  9: proc 1 terminates
spin: trail ends after 9 steps
#processes: 1
		started = 1
  9:	proc  0 (:init::1) deadlock.pml:20 (state 5)
		:init:(0):answer = 2
3 processes created
