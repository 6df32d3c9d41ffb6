  0:	proc  - (:root:) creates proc  0 (:init:)
Starting Helper with pid 1
  1:	proc  0 (:init::1) creates proc  1 (Helper)
  1:	proc  0 (:init::1) random.pml:15 (state 1)	[(run Helper(3))]
  2:	proc  0 (:init::1) random.pml:16 (state 2)	[handshake!5]
  2:	proc  1 (Helper:1) random.pml:8 (state 1)	[handshake?y]
  2:	proc  0 (:init::1) random.pml:16 Sent 5	-> queue 1 (handshake)
  2:	proc  1 (Helper:1) random.pml:8 Recv 5	<- queue 1 (handshake)
		Helper(1):y = 5
  3:	proc  1 (Helper:1) random.pml:9 Send 5,3	-> queue 2 (buffer)
  3:	proc  1 (Helper:1) random.pml:9 (state 2)	[buffer!y,k]
		queue 2 (buffer): [5,3]
          got 5
  4:	proc  1 (Helper:1) random.pml:10 (state 3)	[printf('got %d\\n',y)]
		queue 2 (buffer): [5,3]
  4:	proc  1 (Helper:1)           terminates
      timeout
  5:	proc  0 (:init::1) random.pml:17 (state 3)	[(timeout)]
		queue 2 (buffer): [5,3]
  6:	proc  0 (:init::1) random.pml:18 Recv 5,3	<- queue 2 (buffer)
  6:	proc  0 (:init::1) random.pml:18 (state 4)	[buffer?z,_]
		queue 2 (buffer): 
		:init:(0):z = 5
  7:	proc  0 (:init::1) random.pml:19 (state 5)	[x = z]
		x = 5
		queue 2 (buffer): 
  7:	proc  0 (:init::1)       terminates
2 processes created
