What --version says.

  $ for command in "paleo" "paleo-profile" "paleo devices"
  > do
  > 	$command --version | sed -E 's/^paleo [0-9]+\.[0-9]+\.[0-9]+ \([^ ()]+\)$/paleo NUMBER (REVISION)/'
  > done
  paleo NUMBER (REVISION)
  paleo NUMBER (REVISION)
  paleo NUMBER (REVISION)
