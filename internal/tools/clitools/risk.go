package clitools

import (
	"slices"
	"strings"
)

// raise is the risk that an argument adds to a program.
type raise struct {
	programs string // names with spaces between; any program if empty
	words    string // arguments, complete or up to a "=", with spaces between
	part     string // or: text anywhere in an argument
	points   int
	why      string
}

// raises guesses the meaning of arguments, to refuse what nobody should be asked about.
// If it misses something, a person is asked all the same.
var raises = []raise{
	{words: "--exec --exec-batch --execute -exec -execdir", points: 60, why: "runs other programs"},
	{programs: "fd", words: "-x -X", points: 60, why: "runs other programs"},
	{programs: "find", words: "-ok -okdir", points: 60, why: "runs other programs"},
	{programs: "find", words: "-delete", points: 40, why: "deletes files"},
	{programs: "find", words: "-fprint -fprint0 -fprintf -fls", points: 20, why: "overwrites files"},
	{programs: "rg", words: "--pre --hostname-bin", points: 80, why: "runs other programs"},
	{programs: "sort", words: "--compress-program", points: 80, why: "runs other programs"},
	{
		programs: "tar",
		words:    "-F -I --checkpoint-action --info-script --new-volume-script --rmt-command --rsh-command --to-command --use-compress-program",
		points:   60, why: "runs other programs",
	},
	{programs: "tar", words: "-P --absolute-names --remove-files", points: 20, why: "changes files elsewhere"},
	{programs: "zip", words: "-T -TT --unzip-command", points: 60, why: "runs other programs"},
	{programs: "zip", words: "-m --move", points: 20, why: "deletes files"},
	{programs: "awk", part: "system(", points: 45, why: "runs other programs"},
	{programs: "awk", part: "getline", points: 20, why: "reads from other programs or files"},
	{programs: "sqlite3", part: ".shell", points: 45, why: "runs other programs"},
	{programs: "sqlite3", part: ".system", points: 45, why: "runs other programs"},
	{programs: "sqlite3", part: "load_extension", points: 45, why: "loads code"},
	{programs: "node deno bun", words: "-e --eval -p --print -r --require --import eval", points: 10, why: "runs code of the arguments"},
	{programs: "python3", words: "-c", points: 10, why: "runs code of the arguments"},
	{programs: "sed awk", words: "-i --in-place", points: 5, why: "changes files in place"},
	{programs: "make", words: "--eval SHELL", points: 20, why: "runs code of the arguments"},

	{
		programs: "git", words: "-c --config-env --exec-path --upload-pack --receive-pack -u config", points: 60,
		why: "can run other programs by configuration",
	},
	{programs: "git", words: "push send-email send-pack", points: 30, why: "sends to other machines"},
	{programs: "git", words: "clean rm filter-branch gc prune reflog update-ref --hard", points: 30, why: "discards what cannot be had back"},
	{programs: "git", words: "-f --force --force-with-lease --delete -D", points: 30, why: "is forced"},
	{programs: "git", words: "submodule bisect difftool mergetool daemon instaweb", points: 30, why: "runs other programs"},

	{
		programs: "curl wget", words: "-T --upload-file -F --form -d --data --data-binary --post-data --post-file", points: 20,
		why: "sends data to other machines",
	},
	{programs: "curl wget", words: "-K --config -o -O --output --remote-name", points: 10, why: "reads configuration or writes files"},
	{programs: "wget", words: "--use-askpass --execute", points: 40, why: "runs other programs"},
	{programs: "rsync", words: "-e --rsh --rsync-path", points: 45, why: "runs other programs"},
	{
		programs: "rsync", words: "--delete --delete-after --delete-before --delete-excluded --remove-source-files", points: 40,
		why: "deletes files",
	},
	{programs: "npm pnpm cargo", words: "publish unpublish deprecate login adduser token owner", points: 30, why: "changes what others see"},
	{programs: "npm pnpm", words: "-g --global", points: 20, why: "installs for everybody"},
	{programs: "gh", words: "delete auth secret ssh-key gpg-key", points: 35, why: "changes accounts or deletes"},
	{
		programs: "kubectl helm terraform aws gcloud docker", words: "delete destroy apply uninstall rm prune exec run --privileged --force",
		points: 15, why: "changes running systems",
	},
}

// destroyers lists programs whose purpose is to destroy, in case an operator configures
// one.
var destroyers = []string{"dd", "mkfs", "rm", "rmdir", "shred", "truncate", "unlink"}

// riskOf returns the risk of a call, and the reasons why it exceeds the program's own
// risk.
func (p *program) riskOf(args []string) (risk int, why []string) {
	risk = p.risk
	all := slices.Concat(p.args, args)
	add := func(points int, reason string) {
		risk += points
		if !slices.Contains(why, reason) {
			why = append(why, reason)
		}
	}
	for _, r := range raises {
		if r.programs != "" && !slices.Contains(strings.Fields(r.programs), p.executable()) {
			continue
		}
		if r.part == "" && containsWord(all, strings.Fields(r.words)) || r.part != "" && containsPart(all, r.part) {
			add(r.points, r.why)
		}
	}
	if slices.Contains(destroyers, p.executable()) {
		points := 20
		if containsCluster(all, "rR") && containsCluster(all, "f") || containsWord(all, []string{"--recursive"}) {
			points = 40
		}
		add(points, "destroys files")
	}
	return min(risk, maxRisk), why
}

func containsWord(args, words []string) bool {
	return slices.ContainsFunc(args, func(arg string) bool {
		name, _, _ := strings.Cut(arg, "=")
		return slices.Contains(words, name)
	})
}

func containsPart(args []string, part string) bool {
	return slices.ContainsFunc(args, func(arg string) bool { return strings.Contains(arg, part) })
}

// containsCluster reports whether one of letters is given as a one-letter option, alone
// or in a cluster as in -rf.
func containsCluster(args []string, letters string) bool {
	return slices.ContainsFunc(args, func(arg string) bool {
		return len(arg) > 1 && arg[0] == '-' && arg[1] != '-' && strings.ContainsAny(arg[1:], letters)
	})
}
