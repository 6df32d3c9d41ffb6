#ifdef HUGE
#define TYPE int
#else
#define TYPE bit
#endif
TYPE x, y;
active proctype P() {
	do
	:: x++
	:: y++
	od
}
