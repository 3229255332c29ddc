package gitview

import (
	"fmt"
	"strings"
)

// Keys matches the settings of a repository that a view takes over. It lists what git
// needs to read the repository, and facts about branches and remote repositories.
const Keys = `^(core\.(repositoryformatversion|filemode|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|trustctime|checkstat|abbrev|hookspath)` +
	`|extensions\.(objectformat|refstorage|compatobjectformat)|(user|author|committer)\.(name|email)|i18n\.(commitencoding|logoutputencoding)` +
	`|branch\..*\.(remote|merge|rebase|description)|remote\..*\.(url|pushurl|fetch)|diff\.(algorithm|renames|renamelimit)|log\.date|init\.defaultbranch)$`

// Reading returns the arguments with which git prints those settings. It runs nothing for
// that.
func Reading() []string { return []string{"config", "--null", "--get-regexp", Keys} }

// Setting is an entry of a configuration: section.name or section.subsection.name.
type Setting struct{ Key, Value string }

// Settings parses the output of [Reading].
func Settings(out []byte) (all []Setting) {
	for entry := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		key, value, valued := strings.Cut(entry, "\n")
		if !valued {
			value = "true" // the name alone
		}
		if strings.Contains(key, ".") {
			all = append(all, Setting{key, value})
		}
	}
	return all
}

var escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`)

// Text returns settings as the text of a configuration file.
func Text(settings []Setting) string {
	var b strings.Builder
	for _, s := range settings {
		section, name, _ := strings.Cut(s.Key, ".")
		if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
			subsection := name[:dot]
			if strings.Contains(subsection, "\n") {
				continue // no file can hold it
			}
			section, name = fmt.Sprintf(`%s "%s"`, section, strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(subsection)), name[dot+1:]
		}
		fmt.Fprintf(&b, "[%s]\n\t%s = \"%s\"\n", section, name, escape.Replace(s.Value))
	}
	return b.String()
}

// script makes the directory of a view in the home of the run and starts git.
const script = `real=$1 config=$2 view=$HOME/git
shift 2
mkdir "$view" "$view/info" && printf %s "$config" >"$view/config" || exit 128
for name in objects refs packed-refs reftable logs shallow worktrees info/exclude; do
	if [ -e "$real/$name" ]; then ln -s "$real/$name" "$view/$name" || exit 128; fi
done
GIT_COMMON_DIR=$view exec git "$@"`

// Shell returns the arguments with which sh runs git under a view of a repository. Common is
// the absolute path of its data, which git calls the common directory; the environment
// names its GIT_DIR. The home of the run must be a new directory.
func Shell(common, config string, args ...string) []string {
	return append([]string{"-c", script, "git", common, config}, args...)
}

// fixed lists settings that hold for every run, also without a view.
var fixed = []Setting{
	{"core.hooksPath", "/dev/null"},
	{"core.fsmonitor", "false"},
	{"core.pager", "cat"},
	{"core.editor", "false"},
	{"sequence.editor", "false"},
	{"core.askPass", "false"},
	{"core.sshCommand", "false"},
	{"core.gitProxy", ""},
	{"core.alternateRefsCommand", "false"},
	{"core.attributesFile", "/dev/null"},
	{"core.excludesFile", "/dev/null"},
	{"core.quotePath", "false"},
	{"credential.helper", ""},
	{"protocol.allow", "never"},
	{"diff.external", ""},
	{"diff.orderFile", "/dev/null"},
	{"diff.ignoreSubmodules", "dirty"},
	{"status.submoduleSummary", "false"},
	{"submodule.recurse", "false"},
	{"commit.gpgSign", "false"},
	{"tag.gpgSign", "false"},
	{"log.showSignature", "false"},
	{"log.mailmap", "false"},
	{"gpg.program", "false"},
	{"gc.auto", "0"},
	{"gc.recentObjectsHook", ""},
	{"maintenance.auto", "false"},
	{"advice.detachedHead", "false"},
	{"commit.template", ""},
}

// Env returns the environment of git without the network, prompts, and the settings of the
// machine and of a person.
func Env() []string {
	return overriding(fixed,
		"GIT_ASKPASS=false", "SSH_ASKPASS=false", "GIT_SSH_COMMAND=false",
		"GIT_EDITOR=false", "GIT_SEQUENCE_EDITOR=false", "GIT_PAGER=cat", "GIT_MERGE_AUTOEDIT=no",
		// No protocol has this name: nothing is fetched, whatever the repository
		// allows.
		"GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1", "GIT_PROTOCOL_FROM_USER=0", "GIT_ADVICE=0",
	)
}

// overriding returns an environment with settings that take precedence over those of a
// repository, and without those of the machine and of a person.
func overriding(settings []Setting, more ...string) []string {
	env := append([]string{"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_ATTR_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0"}, more...)
	for i, s := range settings {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, s.Key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, s.Value))
	}
	return append(env, fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(settings)))
}
