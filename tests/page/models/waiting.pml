/* For the page of a run: handshakes, buffered messages, processes that come and go, a cycle, and text that would
   like to be markup: </script><script>document.title = "broken"</script> <img src=x onerror="broken()"> */
mtype = { ask, answer };
chan desk = [0] of { mtype, byte };
chan shelf = [2] of { byte };
byte served, noise;
bool waiting, given;

active proctype Client() {
    byte got;
    waiting = true;
    desk!ask(3);
    shelf?got;
    served = got;
    do
    :: noise = 1 - noise; printf("</script>%d", noise)
    od
}

active proctype Clerk() {
    byte what;
    desk?ask(what);
    run Helper(what)
}

proctype Helper(byte what) {
    shelf!what;
    shelf!9
}

ltl given_some_day { [] (waiting -> <> given) }
