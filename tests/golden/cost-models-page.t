The table in docs/reference/paleo2017.md is today's.

  $ cd $source && sh docs/reference/paleo2017.sh | grep '^|' >$work/printed && grep -F -x -f $work/printed docs/reference/paleo2017.md | diff $work/printed - && wc -l <$work/printed
  16
