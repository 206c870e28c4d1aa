# check.fish BUILD - what fish offers for words of command lines, by the script that is installed.
# SPDX-License-Identifier: Apache-2.0
source $argv[1]/share/fish/vendor_completions.d/paleo.fish
touch net.json
for line in "paleo pre" "paleo predict --dt" "paleo-predict --dtype=b" "paleo-profile --mode cold,h" \
	"paleo predict --device a100-80-" "paleo-serving --device h100-sxm,l40" \
	"paleo-profile --resume n" "paleo-profile --batch "
	echo "$line:" (complete -C "$line" | string replace -r '\t.*' '')
end

# Every option of every command's --help is offered, alone and as a word of paleo.
for command in (paleo --help | string match -rg '^  ([a-z-]+) .*')
	paleo $command --help | string match -rg '^  (--[a-z0-9-]+).*' | sort >told
	for line in "paleo $command --" "paleo-$command --"
		complete -C $line | string replace -r '\t.*' '' | sort >offered
		diff told offered
	end
end
