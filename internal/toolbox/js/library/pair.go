package library

import (
	"crypto/sha256"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/js/manifest"
	"github.com/helve-dev/helve/tool"
)

// pair is a script and its manifest, as last read.
type pair struct {
	read             bool // checksums of the files
	script, manifest [sha256.Size]byte
	program          *js.Program // nil if the script never compiled
	compiled         [sha256.Size]byte
	tools            []Loaded
	problems         []Problem
}

// pair reads the pair of that base name, or detects that nothing changed.
func (f *folder) pair(files fs.FS, base string, all map[string]found) *pair {
	was := f.pairs[base]
	if was == nil {
		was = &pair{}
	}
	if _, ok := all[base+manifestEnd]; !ok {
		return f.half(base+scriptEnd, true, base+manifestEnd+" is missing, so that the script is no tool; shared code belongs into "+libDir)
	}
	if _, ok := all[base+scriptEnd]; !ok {
		return f.half(base+manifestEnd, false, base+scriptEnd+" is missing")
	}
	var texts [2][]byte
	var unread []Problem
	for i, name := range []string{base + scriptEnd, base + manifestEnd} {
		err := all[name].err
		if err == nil {
			texts[i], err = read(files, name)
		}
		if err != nil {
			unread = append(unread, f.problem(name, "cannot be read: "+cause(err)))
		}
	}
	if unread != nil {
		return was.kept(unread)
	}
	next := &pair{read: true, script: sha256.Sum256(texts[0]), manifest: sha256.Sum256(texts[1]), program: was.program, compiled: was.compiled}
	if was.read && was.script == next.script && was.manifest == next.manifest {
		return was
	}
	entries, problems := manifest.Parse(base+manifestEnd, texts[1])
	for i := range problems {
		problems[i].Dir = f.dir
	}
	if next.program == nil || next.compiled != next.script {
		program, err := js.Compile(base+scriptEnd, string(texts[0]))
		if err != nil {
			next.tools = was.tools
			next.problems = append(withKept(was.tools, f.problem(base+scriptEnd, tool.AsError(err).Msg)), problems...)
			return next
		}
		next.program, next.compiled = program, next.script
	}
	for _, reason := range next.program.Absent() {
		p := f.problem(base+scriptEnd, reason)
		p.Warning = true
		problems = append(problems, p)
	}
	f.build(next, was, base, string(texts[0]), entries, problems)
	return next
}

// half is a pair of which one file is missing: its tools are removed.
func (f *folder) half(file string, warning bool, reason string) *pair {
	p := f.problem(file, reason)
	p.Warning = warning
	return &pair{problems: []Problem{p}}
}

// kept is a pair that could not be read: its tools stay unchanged.
func (p *pair) kept(problems []Problem) *pair {
	return &pair{program: p.program, compiled: p.compiled, tools: p.tools, problems: withKept(p.tools, problems...)}
}

func (f *folder) problem(file, reason string) Problem {
	return Problem{Dir: f.dir, File: file, Reason: reason}
}

// stays is the text that tells operators that an old version remains in use.
const stays = "; what was loaded before stays in use"

func withKept(old []Loaded, problems ...Problem) []Problem {
	if len(old) > 0 {
		for i := range problems {
			problems[i].Reason += stays
		}
	}
	return problems
}

// build creates the tools of the entries, and keeps the old tools whose new entry is
// invalid.
func (f *folder) build(next, was *pair, base, source string, entries []manifest.Entry, problems []Problem) {
	loaded := map[string]bool{}
	for _, e := range entries {
		t, refused := f.make(next.program, base, source, e)
		if refused != "" {
			p := Problem{Dir: f.dir, File: base + manifestEnd, Tool: e.Definition.Name, Reason: refused}
			if e.Index != manifest.Whole {
				p.Entry = &e.Index
			}
			problems = append(problems, p)
			continue
		}
		loaded[e.Definition.Name] = true
		next.tools = append(next.tools, t)
		problems = append(problems, f.checkEnv(e, base)...)
	}
	broken, unnamed := failures(problems)
	for _, old := range was.tools {
		name := old.Tool.Name
		if !loaded[name] && (unnamed || broken[name]) {
			next.tools = append(next.tools, old)
			mark(problems, name)
		}
	}
	next.problems = problems
}

// failures holds the names of refused entries. unnamed is set if the name of a refused
// entry is unknown, or the file is invalid as a whole.
func failures(problems []Problem) (broken map[string]bool, unnamed bool) {
	broken = map[string]bool{}
	for _, p := range problems {
		if !p.Warning {
			broken[p.Tool] = true
			unnamed = unnamed || p.Entry == nil || p.Tool == ""
		}
	}
	return broken, unnamed
}

// mark adds to the first problem that could be the reason that the tool's old version
// remains in use.
func mark(problems []Problem, name string) {
	i := slices.IndexFunc(problems, func(p Problem) bool { return !p.Warning && p.Tool == name })
	if i < 0 {
		i = slices.IndexFunc(problems, func(p Problem) bool { return !p.Warning && (p.Tool == "" || p.Entry == nil) })
	}
	if p := &problems[i]; !strings.HasSuffix(p.Reason, stays) {
		p.Reason += stays
	}
}

// checkEnv warns of values that the tool declares but that are not set, and of values
// that are set but not declared.
func (f *folder) checkEnv(e manifest.Entry, base string) []Problem {
	var all []Problem
	warn := func(reason string) {
		p := Problem{Dir: f.dir, File: base + manifestEnd, Tool: e.Definition.Name, Reason: reason, Warning: true}
		if e.Index != manifest.Whole {
			p.Entry = &e.Index
		}
		all = append(all, p)
	}
	name, values := e.Definition.Name, f.values(base, e.Definition.Name)
	for _, key := range e.Env {
		if _, ok := values[key]; !ok && !f.opts.NoEnv {
			warn("env " + key + " has no value; set it with --tool-env " + name + "." + key + "=VALUE")
		}
	}
	for _, key := range slices.Sorted(maps.Keys(f.opts.Env[name])) {
		if !slices.Contains(e.Env, key) {
			warn("a value of " + key + " is set, but env does not declare it, so that it does not arrive")
		}
	}
	return all
}
