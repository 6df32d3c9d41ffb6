/*
 * A vending machine that pays back and sells all the same.
 *
 * A customer puts a coin in and presses the button, if not for too long. When
 * nothing happens for a while, a timer gives the coin back.
 *
 * Modelled:   one coin; the button and the timer as two processes of the
 *             machine that share the state of the coin.
 * Abstracted: time; what is sold.
 * Checked:    a coin that is given back buys nothing, and a coin that has
 *             bought something is not given back. Two sequences must not
 *             happen, out!back out!cup and out!cup out!back (notrace
 *             assertion). It is violated: both processes look whether there
 *             is a coin before either has taken it.
 *
 * With -D CAREFUL the look and the taking are one step, and the assertion
 * holds.
 */

mtype = { coin, press, cup, back };

chan slot   = [0] of { mtype };
chan button = [0] of { mtype };
chan out    = [2] of { mtype };

bool inside;            /* there is a coin in the machine */

active proctype Customer()
{
    slot!coin;
    if
    :: button!press
    :: skip
    fi
}

active proctype Seller()
{
    slot?coin;
    inside = true;
end:
    button?press;
#ifdef CAREFUL
    atomic {
        if
        :: inside -> inside = false; out!cup
        :: else
        fi
    }
#else
    if
    :: inside -> out!cup; inside = false
    :: else
    fi
#endif
}

active proctype Timer()
{
end:
    inside;
#ifdef CAREFUL
    atomic {
        if
        :: inside -> inside = false; out!back
        :: else
        fi
    }
#else
    if
    :: inside -> out!back; inside = false
    :: else
    fi
#endif
}

notrace {
    if
    :: out!back -> out!cup
    :: out!cup -> out!back
    fi
}
