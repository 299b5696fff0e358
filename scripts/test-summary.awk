# Of the lines that tests leave (tests/main.cpp): how many there were, which took longest, which were skipped and why.
{ seconds[$3] = $1; all++; result[$2]++ }
$2 == "skipped" { skipped = skipped "  " $3 ": " $4 "\n" }
END {
  printf "%d tests passed, %d failed, %d skipped", result["passed"], result["failed"], result["skipped"]
  if (all) {
    printf "; the longest:"
    for (i = 0; i < 5; i++) {
      longest = ""
      for (name in seconds) if (longest == "" || seconds[name] + 0 > seconds[longest] + 0) longest = name
      if (longest == "") break
      printf "%s %s %.1f s", (i ? "," : ""), longest, seconds[longest]
      delete seconds[longest]
    }
  }
  printf "\n%s", skipped == "" ? "" : "skipped:\n" skipped
}
