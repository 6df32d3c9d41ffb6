/* Directives that fail. */
#include "no-such-file.h"
#include
#define
#error "set SIZE first"
#frobnicate
#if 1 +
#endif

active proctype P() { skip }
