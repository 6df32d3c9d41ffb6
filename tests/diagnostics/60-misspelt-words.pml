/* Words that are nearly keywords or types: one message each, and reading goes on. */
boolean ready;
chanel c = [1] of { byt };
integer i;
mytpe = { A, B };
typdef Point { uint8 x };
double d;

inlne set(a) { a = 1 }

proctpye Server() { i = A; ready = false }

actve proctype Client(boolen quick) {
	set(i)
}

inti { rn Server() }

lt p { [] (i < 2) }

nevr { do :: skip od }
