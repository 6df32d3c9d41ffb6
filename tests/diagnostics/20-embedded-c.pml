/* Embedded C is recognised and refused. */
c_decl {
	typedef struct { int balance; } Account;
};
c_state "Account account" "Global";
c_track "&limit" "sizeof(int)";
byte x;

active proctype P() {
	do
	:: c_expr { now.account.balance > 0 } ->
		c_code { now.account.balance--; }
	:: c_code [now.x < 3] { now.x++; }
	:: else -> break
	od
}
