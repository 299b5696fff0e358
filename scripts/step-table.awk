#!/usr/bin/awk -f
# What steps took, from lines of name, seconds by the clock at their beginning, seconds of processors until then; -v markdown=1: as a table of
# the documentation.
function row(name, minutes, processor) {
  if (markdown) printf "| %s | %.1f | %.1f |\n", name, minutes, processor
  else printf "%-75s %14.1f %18.1f\n", name, minutes, processor
}
BEGIN {
  FS = "\t"
  if (markdown) print "| step | minutes | processor minutes |\n| --- | ---: | ---: |"
  else printf "\n%-75s %14s %18s\n", "step", "minutes", "processor minutes"
}
NR > 1 { row(name, ($2 - clock) / 60, ($3 - spent) / 60) }
{ name = $1; clock = $2; spent = $3; if (NR == 1) { first = $2; used = $3 } }
END { row("all", (clock - first) / 60, (spent - used) / 60) }
