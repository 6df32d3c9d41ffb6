/*
 * Two-phase commit: N sites agree to commit or to abort a transaction.
 *
 * First the coordinator asks all sites for their vote. If all say yes it
 * decides to commit, else to abort; then it tells all sites.
 *
 * Modelled:   each site votes freely; the coordinator may crash at any moment
 *             (or never) and does not come back. A site that has not been asked
 *             for its vote may abort by itself when it notices the crash.
 * Abstracted: sites do not fail, messages are not lost; a crash can be
 *             detected.
 * Checked:    no site commits while another aborts (formula agreement), and
 *             nobody commits against a vote (formula unanimity). The formula
 *             termination is violated, and this is the known weakness of the
 *             protocol: a site that voted yes is stuck when the coordinator
 *             crashes. The label end_in_doubt says that we accept such an end.
 */

#ifndef N
#define N 3
#endif

mtype = { prepare, yes, no, commit, abort };

typedef Site {
    mtype vote;                 /* 0 until it has voted */
    mtype outcome               /* 0 until it knows */
};

Site site[N];
byte committed, aborted, refused;       /* counters for the formulas */
bool crashed;                           /* the coordinator is dead */

chan to_site[N]     = [2] of { mtype };
chan to_coordinator = [N] of { mtype };

inline conclude(result)
{
    d_step {
        site[_pid].outcome = result;
        if
        :: result == commit -> committed++
        :: else -> aborted++
        fi
    }
}

active [N] proctype Participant()       /* process ids 0 .. N-1 */
{
    if
    :: to_site[_pid]?prepare
    :: crashed -> conclude(abort); goto done
    fi;
    if
    :: site[_pid].vote = yes
    :: d_step { site[_pid].vote = no; refused++ }
    fi;
    to_coordinator!site[_pid].vote;
    if
    :: site[_pid].vote == no -> conclude(abort)
    :: else ->
end_in_doubt:
       if
       :: to_site[_pid]?commit -> conclude(commit)
       :: to_site[_pid]?abort  -> conclude(abort)
       fi
    fi;
done:
    skip
}

active proctype Coordinator()
{
    byte i;
    mtype answer, decision = commit;

    {
        for (i : 0 .. N-1) {
            to_site[i]!prepare
        }
        for (i : 1 .. N) {
            to_coordinator?answer;
            if
            :: answer == no -> decision = abort
            :: else
            fi
        }
        for (i : 0 .. N-1) {
            to_site[i]!decision
        }
    } unless {
        crashed
    }
}

active proctype Fate()
{
    if
    :: crashed = true
    :: skip
    fi
}

ltl agreement   { [] !(committed > 0 && aborted > 0) }
ltl unanimity   { [] (committed > 0 -> refused == 0) }
ltl termination { <> (committed + aborted == N) }
