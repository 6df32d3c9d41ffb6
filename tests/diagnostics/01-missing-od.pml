/* A counter of tickets: the loop of the second process is never closed. */
byte next_ticket, serving

active proctype Clerk() {
	do
	:: serving < next_ticket -> serving++
	od
}

active proctype Customer() {
	byte mine;
	do
	:: next_ticket < 5 ->
		atomic { mine = next_ticket; next_ticket++ };
		serving == mine
	:: else -> break
}

active proctype Observer() {
	assert(serving <= nxt_ticket)
}
