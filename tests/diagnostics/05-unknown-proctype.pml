/* `run` of what is no proctype, and a proctype that is called without `run`. */
byte done;

inline finish() { done++ }

proctype Worker(byte id) { done = done + id }
proctype Logger() { done > 0 }

init {
	pid p;
	run Woker(1);
	p = run Monitor();
	run finish();
	Logger();
	done = Worker
}
