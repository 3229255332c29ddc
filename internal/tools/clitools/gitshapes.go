package clitools

import "regexp"

// pretty matches formats of git that do not ask gpg about signatures.
var pretty = regexp.MustCompile(`^([^%]|%[^G(]|%\((if|then|else|end|align|refname|objectname|subject|authorname|authoremail|authordate|committerdate|upstream|HEAD|decorate|trailers)[^)]*\))*$`)

const (
	// differing are options of git's differences, logging those of its histories.
	differing = "-p -u -s -U= -z -w -b -M[=] -C[=] -D -R -a -W -S= -G= --patch --no-patch --unified= --raw --patch-with-stat " +
		"--patch-with-raw --stat[=] --numstat --shortstat --dirstat[=] --summary --name-only --name-status " +
		"--color[=] --no-color --word-diff[=] --word-diff-regex= --no-renames --find-renames[=] --find-copies[=] --diff-filter= --pickaxe-all " +
		"--pickaxe-regex --minimal --patience --histogram --anchored= --diff-algorithm= " +
		"--full-index --binary --abbrev[=] --text --ignore-cr-at-eol --ignore-space-at-eol --ignore-space-change --ignore-all-space " +
		"--ignore-blank-lines --function-context --exit-code --quiet --check --relative[=] --no-ext-diff --no-textconv --no-prefix -q"
	logging = "-n= --max-count= --skip= --since= --after= --until= --before= --author= --committer= --grep= --all-match --invert-grep -i -E " +
		"-F -P --regexp-ignore-case --extended-regexp --fixed-strings " +
		"--merges --no-merges --first-parent --all --branches[=] --tags[=] --remotes[=] --oneline --graph --decorate[=] --no-decorate --date= " +
		"--pretty[=] --format= --abbrev-commit --no-abbrev-commit --topo-order --date-order --author-date-order --reverse " +
		"--follow --full-history --simplify-merges --ancestry-path --left-right --cherry-pick --cherry-mark --boundary -g --walk-reflogs " +
		"--relative-date --parents --children --source --no-notes -L= -m -c --cc"
)

// never are the options that keep git from running the drivers of attributes, and noModules
// that which keeps it from running git in submodules, each in addition to the view.
var (
	never     = []string{"--no-ext-diff", "--no-textconv"}
	noModules = "--ignore-submodules=dirty"
)

// gitShapes are the subcommands of git that only read. Each runs under a view of the
// repository, without its configuration.
var gitShapes = []shape{
	{
		words: "status", style: clustered, most: anywhere, always: []string{noModules},
		options: "-s -b -v -z -u[=] --short --branch --show-stash --porcelain[=] --long --untracked-files[=] --ignored[=] --column --no-column " +
			"--ahead-behind --no-ahead-behind --renames --no-renames",
	},
	{
		words: "diff", style: clustered, most: anywhere, number: true, always: append([]string{noModules}, never...),
		options: differing + " --cached --staged --merge-base",
	},
	{words: "log", style: clustered, most: anywhere, number: true, value: pretty, always: never, options: logging + " " + differing},
	{words: "show", style: clustered, most: anywhere, number: true, value: pretty, always: never, options: logging + " " + differing},
	{
		words: "shortlog", style: clustered, least: 1, most: anywhere,
		options: "-n -s -e -c --numbered --summary --email --committer --since= --until= --no-merges --all",
	},
	{
		words: "rev-list", style: clustered, least: 0, most: anywhere, number: true,
		options: "-n= --count --max-count= --skip= --since= --until= --all --branches[=] --tags[=] --reverse --merges --no-merges " +
			"--first-parent --parents --abbrev-commit --left-right --author= --grep=",
	},
	{words: "rev-parse", style: clustered, least: 1, most: anywhere, options: "--abbrev-ref[=] --short[=] --verify -q --quiet --symbolic " +
		"--symbolic-full-name --is-inside-work-tree --is-bare-repository --show-prefix --show-object-format"},
	{words: "blame", style: clustered, least: 1, most: anywhere, options: "-L= -w -M -C -e -s -l -t -b -f -n -c -p --show-email --show-name " +
		"--show-number --root --porcelain --line-porcelain --date= --since= --abbrev="},
	{words: "grep", style: clustered, least: 0, most: anywhere, number: true,
		options: "-e= -n -i -v -w -l -L -c -o -h -H -a -I -E -G -F -P -q -p -W -z -A= -B= -C= --line-number --ignore-case --invert-match " +
			"--word-regexp --files-with-matches --name-only --files-without-match --count --only-matching --text " +
			"--extended-regexp --basic-regexp --fixed-strings --perl-regexp --cached --untracked --all-match --and --or --not ( ) --max-depth= " +
			"--heading " +
			"--break --show-function --function-context --column --context= --after-context= --before-context= --color[=] --no-color --full-name"},
	{
		words: "ls-files", style: clustered, most: anywhere,
		options: "-c -d -m -o -i -s -u -t -v -z --cached --deleted --modified --others --ignored --stage --unmerged --exclude-standard " +
			"--directory --no-empty-directory --eol --full-name --abbrev[=] --error-unmatch -x= --exclude=",
	},
	{
		words: "ls-tree", style: clustered, least: 1, most: anywhere,
		options: "-r -t -d -l -z --long --name-only --name-status --full-name --full-tree --abbrev[=]",
	},
	{words: "cat-file", style: clustered, least: 1, most: 2, needs: "-p -t -s -e", options: "-p -t -s -e"},
	{words: "branch", style: clustered, options: "-a -r -v -l --list --all --remotes --verbose --show-current --merged[=] --no-merged[=] " +
		"--contains= --no-contains= --points-at= --sort= -i --ignore-case --column --no-column --color[=] --no-color"},
	{
		words: "branch", style: clustered, most: anywhere, needs: "-l --list",
		options: "-a -r -v -l --list --all --remotes --verbose --sort= -i --ignore-case",
	},
	{
		words: "tag", style: clustered,
		options: "-l -n[=] --list --sort= --contains= --no-contains= --merged= --no-merged= --points-at= -i --ignore-case --column --no-column",
	},
	{words: "tag", style: clustered, most: anywhere, needs: "-l --list", options: "-l -n[=] --list --sort= -i --ignore-case"},
	{words: "remote", style: clustered, options: "-v --verbose"},
	{words: "remote get-url", style: clustered, least: 1, most: 1},
	{words: "stash list", style: clustered, number: true, options: "-n= --max-count= --oneline"},
	{words: "reflog", style: clustered, number: true, options: "-n= --max-count= --all --date="},
	{words: "reflog show", style: clustered, most: 1, number: true, options: "-n= --max-count= --all --date="},
	{
		words: "show-ref", style: clustered, most: anywhere,
		options: "--head --heads --branches --tags -d --dereference -s --hash[=] --abbrev[=] --verify -q --quiet",
	},
	{
		words: "describe", style: clustered, most: anywhere,
		options: "--all --tags --contains --abbrev= --exact-match --long --always --first-parent --match= --exclude= --candidates=",
	},
	{words: "merge-base", style: clustered, least: 1, most: anywhere, options: "-a --all --is-ancestor --octopus --independent"},
	{words: "count-objects", style: clustered, options: "-v -H --verbose --human-readable"},
	{words: "version", style: clustered, options: "--build-options"},
}
