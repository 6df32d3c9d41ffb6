/* Conditional parts of the text that do not pair up. */
#define SIZE 3
#ifdef SIZE
byte buffer[SIZE];
#else
byte buffer[1];
#else
#endif
#endif

#if SIZE > 2
active proctype P() {
	buffer[0] = 1
}
