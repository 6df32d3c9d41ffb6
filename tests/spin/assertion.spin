  1:	proc  1 (Client:1) assertion.pml:12 (state 1)	[ticket = (_pid+1)]
		Client(1):ticket = 2
  1:	proc  1 (Client:1) assertion.pml:13 (state 2)	[twice = (ticket*2)]
		Client(1):twice = 4
		Client(1):ticket = 2
  2:	proc  0 (Client:1) assertion.pml:12 (state 1)	[ticket = (_pid+1)]
		Client(0):ticket = 1
  2:	proc  0 (Client:1) assertion.pml:13 (state 2)	[twice = (ticket*2)]
		Client(0):twice = 2
		Client(0):ticket = 1
  3:	proc  1 (Client:1) assertion.pml:14 (state 3)	[requests!request,twice]
		queue 1 (requests): [request,4]
  4:	proc  1 (Client:1) assertion.pml:16 (state 4)	[((ticket>1))]
		queue 1 (requests): [request,4]
  4:	proc  1 (Client:1) assertion.pml:16 (state 5)	[twice = 0]
		queue 1 (requests): [request,4]
		Client(1):twice = 0
  5:	proc  2 (Server:1) assertion.pml:24 (state 1)	[requests?request,who]
		queue 1 (requests): 
		Server(2):who = 4
  6:	proc  2 (Server:1) assertion.pml:25 (state 2)	[seen[(who/2)] = who]
		seen[0] = 0
		seen[1] = 0
		seen[2] = 4
		queue 1 (requests): 
  7:	proc  2 (Server:1) assertion.pml:26 (state 3)	[last.first = who]
		queue 1 (requests): 
  8:	proc  2 (Server:1) assertion.pml:27 (state 4)	[served = (served+1)]
		served = 1
		queue 1 (requests): 
  9:	proc  2 (Server:1) assertion.pml:28 (state 5)	[assert((served<2))]
		queue 1 (requests): 
 10:	proc  0 (Client:1) assertion.pml:14 (state 3)	[requests!request,twice]
		queue 1 (requests): [request,2]
 11:	proc  0 (Client:1) assertion.pml:17 (state 6)	[else]
		queue 1 (requests): [request,2]
      client 0 is the first
 12:	proc  0 (Client:1) assertion.pml:17 (state 7)	[printf('client %d is the first\\n',_pid)]
		queue 1 (requests): [request,2]
 13:	proc  2 (Server:1) assertion.pml:24 (state 1)	[requests?request,who]
		queue 1 (requests): 
		Server(2):who = 2
 14:	proc  2 (Server:1) assertion.pml:25 (state 2)	[seen[(who/2)] = who]
		seen[0] = 0
		seen[1] = 2
		seen[2] = 4
		queue 1 (requests): 
 15:	proc  2 (Server:1) assertion.pml:26 (state 3)	[last.first = who]
		queue 1 (requests): 
 16:	proc  2 (Server:1) assertion.pml:27 (state 4)	[served = (served+1)]
		served = 2
		queue 1 (requests): 
spin: assertion.pml:28, Error: assertion violated
spin: text of failed assertion: assert((served<2))
 17:	proc  2 (Server:1) assertion.pml:28 (state 5)	[assert((served<2))]
		queue 1 (requests): 
spin: trail ends after 17 steps
#processes: 3
		served = 2
		seen[0] = 0
		seen[1] = 2
		seen[2] = 4
		last.first = 2
		last.second = 0
		queue 1 (requests): 
 17:	proc  2 (Server:1) assertion.pml:23 (state 6)
		Server(2):who = 2
 17:	proc  1 (Client:1) assertion.pml:19 (state 10) <valid end state>
		Client(1):twice = 0
		Client(1):ticket = 2
 17:	proc  0 (Client:1) assertion.pml:19 (state 10) <valid end state>
		Client(0):twice = 2
		Client(0):ticket = 1
3 processes created
