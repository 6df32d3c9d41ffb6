/* The new process gets pid 2 if it starts while the first f still lives, and pid 1 after that has died. A partial order
   reduction that takes process creation for independent misses the violation. */
init { run f() }
active proctype f() { assert(_pid == 1) }
