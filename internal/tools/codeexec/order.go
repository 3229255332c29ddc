package codeexec

import (
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// subs collects subcommands with all their names.
type subs []struct {
	names string
	subcommand
}

func (s subs) byName() map[string]subcommand {
	all := map[string]subcommand{}
	for _, sub := range s {
		for name := range strings.FieldsSeq(sub.names) {
			all[name] = sub.subcommand
		}
	}
	return all
}

// flags collects options by name; options with a value come last.
func flags(plain, valued string) map[string]bool {
	all := map[string]bool{}
	for name := range strings.FieldsSeq(plain) {
		all[name] = false
	}
	for name := range strings.FieldsSeq(valued) {
		all[name] = true
	}
	return all
}

// validity holds the forms of a manager's package names: with and without a version.
type validity struct{ alone, versioned *regexp.Regexp }

// Neither form can be an option, a path, a URL or a repository.
var (
	npmName = validity{
		regexp.MustCompile(`^(?:@[a-zA-Z0-9~][a-zA-Z0-9._~-]*/)?[a-zA-Z0-9~][a-zA-Z0-9._~-]*$`),
		regexp.MustCompile(`^(?:@[a-zA-Z0-9~][a-zA-Z0-9._~-]*/)?[a-zA-Z0-9~][a-zA-Z0-9._~-]*(?:@[a-zA-Z0-9^~<>=*][a-zA-Z0-9.^~<>=*|+ _-]*)?$`),
	}
	pipName = validity{
		regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$`),
		regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?(?:\[[A-Za-z0-9._, -]*\])? ?(?:(?:===|==|>=|<=|~=|!=|<|>) ?[A-Za-z0-9.*+!_-]+(?:, ?(?:===|==|>=|<=|~=|!=|<|>) ?[A-Za-z0-9.*+!_-]+)*)?$`),
	}
	queryWord  = regexp.MustCompile(`^[A-Za-z0-9@][A-Za-z0-9@._/-]*$`)
	scriptName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9:._-]*$`)
	flagValue  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
)

// longestName is the length of the longest package name that npm allows.
const longestName = 214

// order is a validated command for a package manager.
type order struct {
	manager          *manager
	name, subcommand string
	command          []string
	network          bool
}

// orderOf parses a command, for the named manager or for the manager with which the
// command begins.
func orderOf(name, command string) (*order, error) {
	parts, err := words("command", command)
	if err != nil {
		return nil, err
	}
	if len(parts) > 0 {
		first := strings.TrimSuffix(parts[0], "3") // pip3
		if managers[first] != nil && (first == parts[0] || first == "pip") {
			if name != "" && name != first {
				return nil, tool.Fail(tool.ValidationError, "manager is %s, but the command is one for %s; leave one of them out.", name, first)
			}
			name, parts = first, parts[1:]
		}
	}
	m := managers[name]
	switch {
	case m == nil:
		return nil, tool.Fail(tool.ValidationError, "Which package manager? Set manager to one of %s.", list(managers))
	case len(parts) == 0:
		return nil, tool.Fail(tool.ValidationError, "The command is empty; write what %s is to do, such as install.", name)
	}
	sub, known := m.subs[parts[0]]
	if !known {
		return nil, tool.Fail(tool.ValidationError, "%s cannot be told '%s' here; allowed: %s.", name, brief(parts[0]), list(m.subs))
	}
	operands, err := m.check(name, parts[0], sub, parts[1:])
	if err != nil {
		return nil, err
	}
	o := &order{manager: m, name: name, subcommand: parts[0], network: sub.network}
	o.command = slices.Concat(m.program, parts[:1], sub.always, operands)
	return o, nil
}

// check returns the arguments of a subcommand if all of them are allowed.
func (m *manager) check(name, sub string, s subcommand, parts []string) ([]string, error) {
	operands := 0
	for i := 0; i < len(parts); i++ {
		part := parts[i]
		if !strings.HasPrefix(part, "-") {
			if operands++; s.takes == nothing || s.takes == target && operands > 1 {
				return nil, tool.Fail(tool.ValidationError, "%s %s does not take '%s' here.", name, sub, brief(part))
			}
			if !m.valid(s.takes, part) {
				return nil, tool.Fail(tool.ValidationError,
					"'%s' is not the name of a package, which is all that %s %s takes here: no paths, URLs or repositories.", brief(part), name, sub)
			}
			continue
		}
		flag, value, given := strings.Cut(part, "=")
		valued, known := m.flags[flag]
		if valued && !given && i+1 < len(parts) {
			i++
			value, given = parts[i], true
		}
		switch {
		case !known || valued != given:
			return nil, tool.Fail(tool.ValidationError, "The option '%s' of %s is not allowed here, or lacks its value.", brief(flag), name)
		case valued && !m.validValue(flag, value):
			return nil, tool.Fail(tool.ValidationError, "'%s' cannot be the value of %s here.", brief(value), flag)
		}
	}
	if s.takes == target && operands == 0 && len(parts) > 0 {
		return nil, tool.Fail(tool.ValidationError, "%s %s takes the name of a script first.", name, sub)
	}
	return parts, nil
}

func (m *manager) valid(takes int, part string) bool {
	switch {
	case len(part) > longestName:
		return false
	case takes == packages:
		return m.name.versioned.MatchString(part)
	case takes == names:
		return m.name.alone.MatchString(part)
	case takes == query:
		return queryWord.MatchString(part)
	default:
		return scriptName.MatchString(part)
	}
}

// validValue accepts workspace paths for lists of packages, and plain words otherwise.
func (m *manager) validValue(flag, value string) bool {
	switch flag {
	case "-r", "--requirement", "-c", "--constraint":
		clean := path.Clean(value)
		return fs.ValidPath(clean) && clean != "." && !strings.ContainsAny(value, ":\\") && !strings.HasPrefix(value, "-") && len(value) <= 1024
	}
	return flagValue.MatchString(value) && len(value) <= longestName
}

func list[V any](all map[string]V) string {
	return strings.Join(slices.Sorted(maps.Keys(all)), ", ")
}

// brief shortens text for a message.
func brief(text string) string { return strings.ToValidUTF8(textcut.Clip(text, 60), "\uFFFD") }
