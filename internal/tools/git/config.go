package git

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// fixed lists settings that override the repository's.
var fixed = []setting{
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

// running maps settings whose section the repository names, by the section and the last
// part of their keys, to values under which nothing runs.
var running = map[string][]setting{
	"filter": {{"clean", ""}, {"smudge", ""}, {"process", ""}, {"required", "false"}},
	"diff":   {{"command", ""}, {"textconv", ""}},
	"merge":  {{"driver", "false"}},
	"gpg":    {{"program", "false"}, {"defaultKeyCommand", "false"}},
	"hook":   {{"command", "false"}, {"enabled", "false"}},
	"remote": {{"promisor", "false"}, {"uploadpack", "false"}, {"receivepack", "false"}, {"vcs", ""}},
}

// setting is one entry of git's configuration.
type setting struct{ key, value string }

// environment returns the environment of every git process of these tools.
func environment(call *tool.Call, bare, writes bool) []string {
	env := []string{
		"GIT_DIR=.git", "GIT_WORK_TREE=.",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_ATTR_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=false", "SSH_ASKPASS=false", "GIT_SSH_COMMAND=false",
		"GIT_EDITOR=false", "GIT_SEQUENCE_EDITOR=false", "GIT_PAGER=cat", "GIT_MERGE_AUTOEDIT=no",
		// No protocol has this name: nothing is fetched, whatever the repository
		// allows.
		"GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1", "GIT_PROTOCOL_FROM_USER=0",
		"GIT_LITERAL_PATHSPECS=1", "GIT_ADVICE=0",
		"LC_ALL=C.UTF-8", "TZ=UTC",
		// The reference time of 'yesterday'.
		fmt.Sprintf("GIT_TEST_DATE_NOW=%d", call.Clock.Now().Unix()),
	}
	if bare {
		env[0], env = "GIT_DIR=.", slices.Delete(env, 1, 2)
	}
	if !writes {
		env = append(env, "GIT_OPTIONAL_LOCKS=0")
	}
	return override(env, fixed)
}

// override adds settings that take precedence over those of the repository. They are
// not passed as arguments, because a name may contain =, which would end it there.
func override(env []string, settings []setting) []string {
	const count = "GIT_CONFIG_COUNT="
	n := 0
	env = slices.Clone(env)
	if i := slices.IndexFunc(env, func(e string) bool { return strings.HasPrefix(e, count) }); i >= 0 {
		_, _ = fmt.Sscan(strings.TrimPrefix(env[i], count), &n)
		env = slices.Delete(env, i, i+1)
	}
	for _, s := range settings {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", n, s.key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n, s.value))
		n++
	}
	return append(env, fmt.Sprintf("%s%d", count, n))
}

// settings reads the configuration of the repository and overrides it.
func (r *repository) settings(ctx context.Context) ([]setting, error) {
	ran, err := r.try(ctx, "config", "--list", "-z")
	if err != nil {
		return nil, err
	}
	if ran.Code != 0 || ran.StdoutCut > 0 {
		return nil, tool.Fail(tool.ExecutionError, "The configuration of the repository %s cannot be read: it is damaged, or too large", r.top).Because(hidden(ran))
	}
	var all []setting
	ours := false
	for entry := range strings.SplitSeq(strings.TrimSuffix(string(ran.Stdout), "\x00"), "\x00") {
		key, value, _ := strings.Cut(entry, "\n")
		all = append(all, setting{key, value})
		if key == "core.hookspath" {
			ours = value == "/dev/null"
		}
	}
	if !ours {
		return nil, tool.Fail(tool.NotConfigured, "The git of this worker is too old to be run safely; its operator installs version 2.31 or newer (apt-get install git)")
	}
	return all, nil
}

// maxSections limits the number of sections to override.
const maxSections = 500

// neutralise overrides every setting that would run a program, and sets the committer
// if the repository sets none.
func neutralise(env []string, settings []setting) ([]string, error) {
	var ours []setting
	seen := map[string]bool{}
	who := map[string]string{}
	for _, s := range settings {
		who[s.key] = s.value
		section, rest, _ := strings.Cut(s.key, ".")
		dot := strings.LastIndexByte(rest, '.')
		if running[section] == nil || dot < 0 || seen[section+"."+rest[:dot]] {
			continue
		}
		seen[section+"."+rest[:dot]] = true
		for _, last := range running[section] {
			ours = append(ours, setting{section + "." + rest[:dot] + "." + last.key, last.value})
		}
	}
	if len(seen) > maxSections {
		return nil, tool.Fail(tool.ExecutionError, "The configuration of the repository has too many filters and drivers to be safe")
	}
	for _, s := range []setting{{"user.name", defaultName}, {"user.email", defaultEmail}} {
		if strings.Trim(who[s.key], " .,:;<>\"\\'\t") == "" {
			ours = append(ours, s)
		}
	}
	return override(env, ours), nil
}

// The committer if the repository sets none.
const (
	defaultName  = "Helve"
	defaultEmail = "helve@localhost"
)
