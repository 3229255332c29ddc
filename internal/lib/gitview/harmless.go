package gitview

import (
	"regexp"
	"strings"
)

// guarded lists settings that hold for a run without a view.
var guarded = []Setting{{"core.hooksPath", "/dev/null"}, {"core.fsmonitor", "false"}}

// Guard returns the environment of a run without a view, to which a person has agreed: it
// may write settings and use the network, and runs no hooks. Repositories with a setting
// that is not [Harmless] are to be refused.
func Guard() []string { return overriding(guarded) }

// harmless matches settings beside [Keys] that start no program, or that [Guard] overrides.
var (
	keys     = regexp.MustCompile(Keys)
	harmless = regexp.MustCompile(`^(core\.(bare|logallrefupdates|hookspath|fsmonitor|compression|longpaths|protecthfs|protectntfs|preloadindex|untrackedcache|splitindex|commitgraph|quotepath|commentchar)` +
		`|(color|column|advice|status)\..*|pull\.(rebase|ff)|push\.(default|autosetupremote|followtags)|fetch\.(prune|prunetags)|merge\.(ff|conflictstyle)|rebase\.(autostash|autosquash|updaterefs)` +
		`|submodule\..*\.(url|active|branch|path)|remote\..*\.(tagopt|prune)|gc\.(auto|autodetach)|lfs\.repositoryformatversion|rerere\.enabled)$`)
)

// Harmless reports whether a setting of a repository, by its key, starts no program in a
// run with [Guard].
func Harmless(key string) bool {
	key = strings.ToLower(key)
	return keys.MatchString(key) || harmless.MatchString(key)
}
