proc 0 = :init:
proc 1 = Once
proc 1 = Peer
q\p   0   1
  1   left!1
  1   .   mine?1
  2   .   other!2
  2   right?2
spin: trail ends after 9 steps
-------------
final state:
-------------
#processes: 1
		started = 1
  9:	proc  0 (:init::1) deadlock.pml:20 (state 5)
3 processes created
