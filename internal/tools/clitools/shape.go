package clitools

import (
	"regexp"
	"slices"
	"strings"
)

// style is the way in which a program reads its options.
type style int

const (
	// clustered options as of getopt_long: -nr is -n -r, a value is attached or follows,
	// and options may follow operands.
	clustered style = iota
	// apart is like clustered, but a value always follows its option, which is alone.
	apart
	// exact options are whole words, a value follows.
	exact
)

// shape is a form of arguments under which a program starts no other, sends nothing and
// changes nothing. Everything that it does not list is outside of it: a long option is
// listed under each name that it may have, so none may be abbreviated.
type shape struct {
	// words begin the arguments, such as a subcommand.
	words string
	style style
	// options are separated by blanks: -n takes no value, -n= a value, -n== two, and -n[=]
	// a value that is attached or absent.
	options string
	// needs are options of which at least one must be given.
	needs string
	// number accepts -5 as an option.
	number bool
	// least and most bound the number of operands; most is 0 for none, -1 for any number.
	least, most int
	// operand is the form of each operand; any that does not begin with - if nil.
	operand *regexp.Regexp
	// value is the form of each value of an option; any if nil.
	value *regexp.Regexp
	// last is the last argument, an operand that the others do not count.
	last string
	// outside is set if the arguments name nothing of the workspace, which is then not
	// there.
	outside bool
	// always are arguments that are given after the words of the shape, and env entries of
	// the environment that keep the program from reading settings.
	always, env []string
}

// signed matches values that may begin with a sign: find . -mtime -7.
var signed = regexp.MustCompile(`^-[0-9]+[a-zA-Z]*$`)

// matches reports whether arguments have the shape.
func (s *shape) matches(args []string) bool {
	words := strings.Fields(s.words)
	if len(args) < len(words) || !slices.Equal(args[:len(words)], words) {
		return false
	}
	args = args[len(words):]
	if s.last != "" {
		if len(args) == 0 || args[len(args)-1] != s.last {
			return false
		}
		args = args[:len(args)-1]
	}
	r := reading{shape: s, rest: args, known: s.known()}
	for len(r.rest) > 0 {
		if !r.next() {
			return false
		}
	}
	if needs := strings.Fields(s.needs); len(needs) > 0 && !slices.ContainsFunc(needs, r.seen) {
		return false
	}
	return r.operands >= s.least && (s.most < 0 || r.operands <= s.most)
}

// known returns the options with what follows them: "", "=", "==" or "[=]".
func (s *shape) known() map[string]string {
	all := map[string]string{}
	for option := range strings.FieldsSeq(s.options) {
		name := strings.TrimRight(option, "[=]")
		all[name] = option[len(name):]
	}
	return all
}

// reading is the state of reading arguments by a shape.
type reading struct {
	*shape

	known    map[string]string
	rest     []string
	given    []string
	operands int
	ended    bool // after --
}

func (r *reading) seen(option string) bool { return slices.Contains(r.given, option) }

// next reads an argument with the values that follow it, and reports whether it belongs to
// the shape.
func (r *reading) next() bool {
	arg := r.rest[0]
	r.rest = r.rest[1:]
	if !r.ended {
		if follows, listed := r.known[arg]; listed {
			r.given = append(r.given, arg)
			return r.values(strings.Count(follows, "=") * btoi(follows != "[=]"))
		}
	}
	switch {
	case !strings.HasPrefix(arg, "-"):
		r.operands++
		return r.operand == nil || r.operand.MatchString(arg)
	case r.ended, arg == "-":
		return false
	case arg == "--":
		r.ended = true
		return r.style == clustered
	case r.number && strings.Trim(arg[1:], "0123456789") == "":
		return true
	case strings.HasPrefix(arg, "--"):
		name, value, attached := strings.Cut(arg, "=")
		follows := r.known[name]
		r.given = append(r.given, name)
		return attached && r.style != exact && (follows == "=" || follows == "[=]") && r.valid(value)
	case r.style == exact:
		return false
	}
	return r.cluster(arg[1:])
}

// cluster reads options of one letter.
func (r *reading) cluster(letters string) bool {
	for i := range len(letters) {
		name := "-" + letters[i:i+1]
		follows, listed := r.known[name]
		rest := letters[i+1:]
		r.given = append(r.given, name)
		switch {
		case !listed, follows == "==", follows != "" && r.style == apart:
			return false
		case follows == "":
		case rest != "":
			return r.valid(rest)
		case follows == "=":
			return r.values(1)
		}
	}
	return true
}

// values reads n arguments as the values of an option.
func (r *reading) values(n int) bool {
	if len(r.rest) < n {
		return false
	}
	for _, value := range r.rest[:n] {
		if strings.HasPrefix(value, "-") && !signed.MatchString(value) || !r.valid(value) {
			return false
		}
	}
	r.rest = r.rest[n:]
	return true
}

func (r *reading) valid(value string) bool { return r.value == nil || r.value.MatchString(value) }

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// shapeOf returns the shape of a call that needs no person's consent, nil if it has none.
// A program that an operator has put in the place of a known one, or given the network, has
// none.
func (p *program) shapeOf(args []string) *shape {
	if p.custom || p.file != "" || p.network || p.rule() != allowed || p.risk >= promptFrom {
		return nil
	}
	all := slices.Concat(p.args, args)
	if len(all) > 0 && slices.Equal(all, p.versionArgs()) {
		return &shape{outside: true}
	}
	for i := range shapes[p.name] {
		if s := &shapes[p.name][i]; s.matches(s.modern(p, all)) {
			return s
		}
	}
	return nil
}

// modern rewrites the old form of tar's options, as in tar tvf x, to the usual one.
func (s *shape) modern(p *program, args []string) []string {
	if p.name != "tar" || len(args) < 2 || !bundle.MatchString(args[0]) {
		return args
	}
	letters := strings.Replace(args[0], "f", "", 1)
	return slices.Concat([]string{"-f", args[1], "-" + letters}, args[2:])
}

// bundle matches options of tar in the old form, of which one takes a value.
var bundle = regexp.MustCompile(`^[tvxzjJO]*f[tvxzjJO]*$`)

// insert returns the arguments with those that the shape always gives.
func (s *shape) insert(args []string) []string {
	n := len(strings.Fields(s.words))
	return slices.Concat(args[:n], s.always, args[n:])
}
