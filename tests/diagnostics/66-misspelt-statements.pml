/* Words that are nearly keywords, within processes: reading goes on as if they were right. */
chan c = [1] of { byte };
byte i, arr[2];

inline set(a) { a = 1 }

active proctype Client() {
	boolan quick;
	printff("x");
	asert(i == 2);
	atmic { i = 1; quick = 1 };
	if
	:: lenn(c) > 0 -> gto done
	:: i == 1 && nemty(c) -> brake
	:: tieout -> i = arr(i + 1)
	:: esle -> skp
	fi;
	doo :: i++ od;
done:	sett(i)
}
