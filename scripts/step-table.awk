#!/usr/bin/awk -f
# What steps took, from lines of name, seconds by the clock at their beginning, seconds of processors until then.
BEGIN { FS = "\t"; printf "\n%-75s %14s %18s\n", "step", "minutes", "processor minutes" }
NR > 1 { printf "%-75s %14.1f %18.1f\n", name, ($2 - clock) / 60, ($3 - spent) / 60 }
{ name = $1; clock = $2; spent = $3; if (NR == 1) { first = $2; used = $3 } }
END { printf "%-75s %14.1f %18.1f\n", "all", (clock - first) / 60, (spent - used) / 60 }
