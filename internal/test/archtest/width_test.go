package archtest

import (
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strings"
	"testing"
)

// narrow lists the trees whose types must stay narrow: mostMethods bounds the exported
// methods of a type there.
var narrow = []string{
	"internal/bus/callbacks", "internal/bus/deadletters", "internal/bus/events", "internal/bus/inspect", "internal/bus/natsio", "internal/bus/peer", "internal/bus/queue", "internal/bus/streams",
	"internal/bus/timers", "internal/consent/store", "internal/audit/stream", "internal/audit/trail",
}

const mostMethods = 30

// mostImports bounds how many packages of ours a package imports, tests left out. Only
// programs and what puts them together import more.
const mostImports = 15

// receiver returns the name of the type that a method belongs to.
func receiver(f *ast.FuncDecl) string {
	t := f.Recv.List[0].Type
	if s, ok := t.(*ast.StarExpr); ok {
		t = s.X
	}
	if g, ok := t.(*ast.IndexExpr); ok {
		t = g.X
	}
	name, _ := t.(*ast.Ident)
	if name == nil {
		return ""
	}
	return name.Name
}

// embeds returns the names of the types that a struct of the same package embeds.
func embeds(s source) map[string][]string {
	all := map[string][]string{}
	for _, d := range s.File.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range g.Specs {
			t, ok := spec.(*ast.TypeSpec)
			if !ok {
				continue
			}
			st, ok := t.Type.(*ast.StructType)
			if !ok {
				continue
			}
			for _, f := range st.Fields.List {
				e := f.Type
				if p, ok := e.(*ast.StarExpr); ok {
					e = p.X
				}
				if name, ok := e.(*ast.Ident); ok && len(f.Names) == 0 {
					all[t.Name.Name] = append(all[t.Name.Name], name.Name)
				}
			}
		}
	}
	return all
}

// tooWide returns the types of narrow trees with more than most exported methods, those of
// types they embed included.
func tooWide(all []source, most int) []string {
	methods, embedded := map[string]int{}, map[string][]string{}
	for _, s := range all {
		if s.Test || !slices.ContainsFunc(narrow, func(tree string) bool { return under(s.Dir, tree) }) {
			continue
		}
		for _, d := range s.File.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.IsExported() {
				methods[s.Dir+"."+receiver(f)]++
			}
		}
		for name, of := range embeds(s) {
			for _, e := range of {
				embedded[s.Dir+"."+name] = append(embedded[s.Dir+"."+name], s.Dir+"."+e)
			}
		}
	}
	var broken []string
	for _, name := range slices.Sorted(maps.Keys(methods)) {
		n := methods[name]
		for _, e := range embedded[name] {
			n += methods[e]
		}
		if n > most {
			broken = append(broken,
				fmt.Sprintf("%s has %d exported methods, at most %d are allowed: give a part of it a type of its own", name, n, most))
		}
	}
	return broken
}

// tooMany returns the packages that import more than most packages of ours, beside those that
// everyone may import, except in programs and what puts them together.
func tooMany(all []source, most int) []string {
	imports := map[string]map[string]bool{}
	for _, s := range all {
		if s.Test || under(s.Dir, "internal/app") || under(s.Dir, "cmd") {
			continue
		}
		for _, spec := range s.File.Imports {
			if to, ours := strings.CutPrefix(importPath(spec), module+"/"); ours && !slices.Contains(everyone, to) {
				if imports[s.Dir] == nil {
					imports[s.Dir] = map[string]bool{}
				}
				imports[s.Dir][to] = true
			}
		}
	}
	var broken []string
	for _, dir := range slices.Sorted(maps.Keys(imports)) {
		if n := len(imports[dir]); n > most {
			broken = append(broken,
				fmt.Sprintf("%s imports %d packages of ours, at most %d are allowed: give it an interface of its own", dir, n, most))
		}
	}
	return broken
}

func TestWidth(t *testing.T) {
	all := sources(t)
	report(t, tooWide(all, mostMethods))
	report(t, tooMany(all, mostImports))
}

// TestTooWide breaks each rule once.
func TestTooWide(t *testing.T) {
	hub := parse(t, "internal/bus/natsio/x.go",
		"package natsio\n\ntype a struct{ *b }\n\ntype b struct{}\n\nfunc (a) A() {}\n\nfunc (*b) B() {}\n\nfunc (b) c() {}\n")
	other := parse(t, "internal/engine/x.go", "package engine\n\ntype a struct{}\n\nfunc (a) A() {}\n\nfunc (a) B() {}\n")
	if got := tooWide([]source{hub, other}, 1); len(got) != 1 || !strings.HasPrefix(got[0], "internal/bus/natsio.a has 2") {
		t.Errorf("tooWide = %q, want the type that embeds the other", got)
	}
	text := fmt.Sprintf("package x\n\nimport (\n\t_ %q\n\t_ %q\n)\n", module+"/a", module+"/b")
	two := []source{parse(t, "internal/x/x.go", text), parse(t, "internal/app/x/x.go", text), parse(t, "cmd/x/x.go", text)}
	for most, want := range map[int]int{2: 0, 1: 1} {
		if got := tooMany(two, most); len(got) != want {
			t.Errorf("tooMany(%d) = %q, want %d", most, got, want)
		}
	}
}
